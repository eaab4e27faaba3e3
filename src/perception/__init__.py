"""From pictures to facts: markers, detections and a vision-language model, for a robot's file.

    picture -> what is seen in it -> things that are tracked -> what the bridge is told
    (pictures) (markers, detections)  (tracking)                (perceiver)
"""

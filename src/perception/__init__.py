"""From pictures to facts: markers, detections and a vision-language model, for a robot's file.

picture -> what is seen in it -> things that are tracked -> what the bridge is given
(pictures) (markers, detections)  (tracking)                (perceiver)
"""

#: What is said where OpenCV is not installed.
MISSING = (
    'perception needs OpenCV, which is not installed: pip install -r requirements/perception.txt'
)

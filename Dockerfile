# The checkout on ROS 2 Jazzy:
#   docker build -t reactree_ros .
#   docker run --rm -it reactree_ros                     # make demo
#   docker run --rm -it --network host reactree_ros bash # nodes that other hosts see
FROM ros:jazzy-ros-base

RUN apt-get update \
    && apt-get install -y --no-install-recommends make python3-pip python3-venv \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /reactree_ros
COPY . .
RUN . /opt/ros/jazzy/setup.sh && make setup

ENTRYPOINT ["/ros_entrypoint.sh"]
CMD ["make", "demo"]

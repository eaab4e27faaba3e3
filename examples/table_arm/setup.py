"""Build file of the package, for colcon."""

from setuptools import setup

NAME = 'table_arm'

setup(
    name=NAME,
    version='0.1.0',
    packages=[NAME],
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml', 'robot.yaml']),
    ],
    install_requires=['setuptools'],
    entry_points={'console_scripts': [f'stack = {NAME}.stack:main']},
)

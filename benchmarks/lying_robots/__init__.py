"""Generated robots whose sensors and skills lie, and whether an end is ever falsely verified."""

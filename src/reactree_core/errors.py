"""The one error tree. At the ROS edge each becomes an error code and a sentence.

The codes are in reactree_core/record/outcome.py.
"""

#: Reason of nodes that end because the world has ended the episode.
EPISODE_OVER = 'the episode is over'


class ReactreeError(Exception):
    """Base of everything this package raises on purpose; its text says what to do."""


class ConfigurationError(ReactreeError):
    """A parameter, file or name given by the user cannot be used."""


class ModelError(ReactreeError):
    """The language model cannot be reached, loaded or made to answer."""


class PromptTooLongError(ModelError):
    """A text does not fit the model's context, even without what may be left out."""


class ModelOutputError(ModelError):
    """The model answered, but never with anything usable."""


class SkillError(ReactreeError):
    """A skill server broke its contract or cannot be reached."""


class BridgeLostError(SkillError):
    """The skill server disappeared; the effect of the last skill is unknown."""


class SkillRunsError(SkillError):
    """A skill was to end and has not: the robot may still move."""


class WorldGoneError(SkillError):
    """The program behind a simulated world ended or hung; a reset of the world starts it again."""


class SkillResultError(SkillError):
    """A skill ended, and what was answered about it breaks the contract."""


class MemoryStoreError(ReactreeError):
    """The experience store cannot be opened, read or written."""


class UnusableStoreError(MemoryStoreError):
    """The store is damaged, of another program or release: trying again does not help."""


class EncoderError(MemoryStoreError):
    """What makes vectors of texts cannot be reached or made to answer."""


class JournalError(ReactreeError):
    """The run's journal cannot be written or read."""


class RecordingError(ReactreeError):
    """A bag cannot be written, finished or read."""


class ResumeError(JournalError):
    """A run cannot go on from its journal."""


class EpisodeOver(ReactreeError):
    """The world takes no more skills in this episode.

    :param success: whether it says that the goal is met.
    """

    def __init__(self, success: bool) -> None:
        super().__init__(EPISODE_OVER)
        self.success = success


class RobotStoppedError(SkillError):
    """The emergency stop of the robot is pressed, or was since the run began."""


class CanceledError(ReactreeError):
    """Whoever asked for this no longer wants it."""


class NotConfirmedError(ReactreeError):
    """A person said that the task was not understood as it was meant."""


class QuestionAnswered(ReactreeError):
    """The task was a question: a run ends well with its answer, and the robot has not moved."""


class NotUnderstoodError(ReactreeError):
    """A task asks for nothing, or for nothing that was understood; the robot has not moved."""


class NotPermittedError(ReactreeError):
    """A rule of permission ends the run: it cannot be kept any more, or a limit is reached."""


class LimitReached(ReactreeError):
    """A limit over the whole tree was reached.

    :param limit: one of 'decisions', 'steps', 'depth', 'tokens', 'time'.
    :param message: what was reached, and which parameter raises it.
    """

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message)
        self.limit = limit

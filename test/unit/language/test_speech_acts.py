"""What is no request is told apart from what only looks like it."""

from __future__ import annotations

import time

import pytest

from reactree_planner.language.speech_acts import answer_to, speech_act, SpeechAct

QUESTION, CANCEL = SpeechAct.QUESTION, SpeechAct.CANCEL
GREETING, EMPTY = SpeechAct.GREETING, SpeechAct.EMPTY

#: What no skill can serve.
NO_REQUESTS = [
    ('Is there any milk left?', QUESTION),
    ('is there milk left', QUESTION),
    ('Where is my phone?', QUESTION),
    ('where did you put the apple', QUESTION),
    ('How many plates are in the dishwasher?', QUESTION),
    ('Hi robot, what can you do?', QUESTION),
    ('Can you tell me where the keys are?', QUESTION),
    ('Could you see whether the stove is on?', QUESTION),
    ('Do you know if the fridge is closed?', QUESTION),
    ('Did you close the fridge?', QUESTION),
    ('Have you seen the pear?', QUESTION),
    ('Tell me what is in the fridge.', QUESTION),
    ('I wonder whether there is any juice.', QUESTION),
    ('I would like to know how warm the oven is', QUESTION),
    ('Any milk left?', QUESTION),
    ('Should I open the fridge?', QUESTION),
    ('Open the fridge?', SpeechAct.MARKED),
    ('Collect the dirty forks, and put them into the sink?', SpeechAct.MARKED),
    ('A clean plate on the table?', QUESTION),
    ('Who ate the pudding?', QUESTION),
    ("Isn't the tv on?", QUESTION),
    ('Is the fridge open? Is the stove on?', QUESTION),
    ('Never mind.', CANCEL),
    ('never mind, thanks', CANCEL),
    ('Forget it', CANCEL),
    ('No thanks!', CANCEL),
    ("Actually, don't bother.", CANCEL),
    ('Bring me some milk. Oh, never mind.', CANCEL),
    ("Never mind, I'll do it myself.", CANCEL),
    ('Stop!', CANCEL),
    ("Don't do anything.", CANCEL),
    ('Cancel that, please.', CANCEL),
    ('Hello!', GREETING),
    ('Good morning, robot. How are you?', GREETING),
    ('Thank you very much.', GREETING),
    ('ok', GREETING),
    ('', EMPTY),
    (' ?!... ', EMPTY),
    ('😀🍎🧊', EMPTY),
]

#: What only looks like it.
REQUESTS = [
    'Could you put the apple in the fridge?',
    'Can you please bring me the milk?',
    'Would you mind closing the fridge?',
    'Do you mind turning on the tv?',
    'Do you think you could bring the pear to the sofa?',
    'Hello! Put the apple in the fridge.',
    'Hi robot, could you turn on the tv?',
    'Is it possible to move the plates to the dishwasher?',
    'Are you able to put the pear on the table?',
    "Why don't you put the apple in the fridge?",
    'What about putting the plate in the sink?',
    'How about you close the fridge?',
    'Can I have the milk on the table?',
    'Can somebody turn off the stove?',
    'Put the apple in the fridge, ok?',
    'Close the fridge, will you?',
    'Turn on the tv, please?',
    'Never mind the apple, bring the pear.',
    'Never mind. Put the pear in the fridge.',
    'Forget it, put the pear on the table instead.',
    'Stop the microwave.',
    'Cancel the alarm.',
    'Do the dishes.',
    'Have a plate on the table when I come home.',
    'Do not open the fridge.',
    'Is there any milk left? If so, bring it to the table.',
    'Leave it closed and put the pear on the table.',
    'When you are done, close the fridge.',
    'What I want is the apple in the fridge.',
    'I was wondering if you could put the apple in the fridge?',
    'Let me know when the apple is in the fridge.',
    'See to it that the fridge is closed.',
    'Thanks for coming, now bring the pear to the sofa.',
    'My aunt is coming.',
    "It's getting dark, could you turn the lamp on?",
    "I can't reach the plate, can you bring it to the table?",
    'Pick up the apple, will you, before the others get home?',
    'Kannst du den Apfel in den Kühlschrank legen?',
    'Show me the apple.',
]


@pytest.mark.parametrize(('sentence', 'act'), NO_REQUESTS)
def test_what_asks_for_nothing_is_told_and_answered(sentence, act):
    assert speech_act(sentence) is act
    assert answer_to(act).endswith('.')


@pytest.mark.parametrize('sentence', REQUESTS)
def test_what_only_looks_like_it_is_a_request(sentence):
    assert speech_act(sentence) is SpeechAct.REQUEST
    assert not answer_to(SpeechAct.REQUEST)


@pytest.mark.parametrize(
    'piece', ['hi ', 'never mind, ', 'could you tell ', 'is it? ', '\u200b, ']
)
def test_a_long_text_takes_no_time(piece):
    began = time.thread_time()
    speech_act((piece * 4000)[:4000])
    assert time.thread_time() - began < 0.5

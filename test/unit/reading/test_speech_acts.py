"""What is no request is told apart from what only looks like it."""

from __future__ import annotations

import time

import pytest

from reactree_planner.reading.speech_acts import answer_to, speech_act, SpeechAct

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
    ('Tell me where the milk is.', QUESTION),
    ('Show us how it works.', QUESTION),
    ('I wonder if the fridge is open.', QUESTION),
    ('I want to know where the milk is', QUESTION),
    ('Do you know where the milk is?', QUESTION),
    ('Do you have milk?', QUESTION),
    ('Do you have milk', QUESTION),
    ('Have you seen the milk', QUESTION),
    ('Have we any milk?', QUESTION),
    ('What is that', QUESTION),
    ('How much milk is there', QUESTION),
    ("What's that", QUESTION),
    ('Where is it', QUESTION),
    ('Which one?', QUESTION),
    ('Does it rain', QUESTION),
    ('Is it open', QUESTION),
    ('Are you there', QUESTION),
    ('Can you tell me where the milk is?', QUESTION),
    ('Could you please say what you see?', QUESTION),
    ('Should we open the fridge?', QUESTION),
    ('Will I need milk?', QUESTION),
    ('Can the fridge be opened?', QUESTION),
    ('Should the fridge be open?', QUESTION),
    ('The fridge?', QUESTION),
    ('In the fridge?', QUESTION),
    ('Two plates?', QUESTION),
    ('No milk?', QUESTION),
    ('Enough milk?', QUESTION),
    ('Did you hear me?', QUESTION),
    ('Do you think it is open?', QUESTION),
    ('Did the milk go off?', QUESTION),
    ('Has the milk gone off?', QUESTION),
    ('Hello, no, stop.', CANCEL),
    ('Wait, never mind.', CANCEL),
    ('Open the fridge. I changed my mind, forget it.', CANCEL),
    ('Hi. Is it open?', QUESTION),
    ('Thanks. Never mind.', CANCEL),
    ('Please, robot, dear, ok?', GREETING),
    ('so well um never mind', CANCEL),
    ('Never mind today', CANCEL),
    ('When is dinner', QUESTION),
    ('You could tell me where it is?', SpeechAct.MARKED),
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
    'Tell me a joke and open the fridge.',
    'Show me.',
    'I would like to know if you could open the fridge.',
    'Have the milk ready.',
    'What a mess.',
    'Can we open the fridge?',
    'May I have the milk?',
    'Can the fridge be opened',
    'Would anyone open the fridge?',
    'Open the fridge, please?',
    'Open the fridge, right?',
    'Open the fridge, would you?',
    'Open the fridge, will not you?',
    'Do you think you could open it?',
    'Why not open the fridge?',
    "Why don't we open the fridge?",
    'Are you ready to open the fridge?',
    'Is there any chance of a coffee?',
    'Stop. Open the fridge.',
    'I changed my mind.',
    'Is it open? Then close it.',
    'When the fridge is open, close it.',
    'Can you, if you please, open it?',
    'Tell me.',
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

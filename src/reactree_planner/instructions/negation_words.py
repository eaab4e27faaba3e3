"""Words by which a text negates and forbids, and words that undo it."""

from __future__ import annotations

from reactree_planner.instructions.words import PERSONS
from reactree_planner.instructions.words import word_set

#: Verbs that undo a negation: "do not forget to open".
FORGETTING = word_set('forget fail hesitate neglect miss omit stop skip')
#: Negated, these forbid nothing.
NO_ACTION = word_set(
    'need have has bother worry mind care know think remember see find hear believe understand '
    'matter seem look feel say mean panic'
)
DIRECTIVES = word_set('allowed permitted supposed to expected meant going forbidden')
#: What makes a prohibition hold for a time, a number or a case only.
RELEASES = word_set(
    'until till unless before yet first more than once twice times again if except longer too '
    'without only both either fewer less whether enough'
)
SELF_OR_IT = (PERSONS | {'it', 'that', 'this'}) - {'who'}
SELF_OR_YOU = SELF_OR_IT | {'you'}
LEFT_STATES = word_set('on off open closed running lying standing dirty unattended empty')
NEVER = word_set('never neither')
GERUND_CUES = word_set('without avoid avoiding')
#: Verbs that ask for something where they are told of none: "leave no crate there".
LEAVING = word_set('leave make give wait report check serve look')
#: Words behind "no" and "nothing" with which it forbids less, or something else.
NO_FURTHER = word_set('further farther longer later sooner other else but except than')
#: Words behind a "but" that goes on with something else.
NOT_EXCEPTED = word_set('not do also then first only please just always again keep be make now')
#: Phrases that forbid what follows them, and what its verb stands for where it has none.
PHRASES = (
    ('keep your hands off', 'touch'),
    ('keep hands off', 'touch'),
    ('stay away from', 'approach'),
    ('keep away from', 'approach'),
    ('stay out of', 'approach'),
    ('keep out of', 'approach'),
    ('stay clear of', 'approach'),
    ('keep clear of', 'approach'),
    ('steer clear of', 'approach'),
    ('stay off', 'approach'),
    ('hands off', 'touch'),
    ('refrain from', ''),
    ('abstain from', ''),
    ('keep from', ''),
    ('forbidden to', ''),
    ('prohibited to', ''),
    ('forbidden from', ''),
    ('prohibited from', ''),
    ('under no circumstances should you', ''),
    ('under no circumstances', ''),
    ('at no time', ''),
    ('at no point', ''),
    ('in no case', ''),
    ('on no account', ''),
    ('by no means', ''),
)
#: Phrases that forbid what stands before them.
AFTER_THING = (
    'off limits',
    'out of bounds',
    'forbidden',
    'prohibited',
    'taboo',
    'not allowed',
    'not permitted',
)
#: States to be kept, and what would change them (see `prohibitions`).
KEPT_STATES = {
    'closed': 'opening',
    'shut': 'opening',
    'off': 'switching on',
    'on': 'switching off',
    'running': 'switching off',
    'open': 'closing',
    'alone': 'touch',
    'untouched': 'touch',
    'unopened': 'opening',
    'where': 'taking',
}
#: Beginnings of work that no template need know.
HEADS_OF_WORK = word_set(
    'put place bring take get fetch carry move go walk come find look search clean wash set lay '
    'give serve make turn switch open close shut start stop check drive deliver store load '
    'unload scan pick drop leave return report wait'
)

"""The words by which a task forbids, and those that make a prohibition none or one for a time."""

from __future__ import annotations

from reactree_planner.language.lexicon import EXCEPTING, FORBIDDING, MODALS, phrases, words
from reactree_planner.language.words import Form

NEGATIONS = words('not never no neither nor without cannot')
#: Who may be told something that is not told to the robot.
OTHERS = words(
    'i we they he she it who nobody somebody someone anybody anyone everybody everyone people'
)
#: Behind these an order begins, though no sign parts it from them.
LEADING = words(
    'and but so or then that because since please do ok okay robot happens happen matter sure '
    'careful is still therefore thus hence also however yes first second finally important '
    'always again though yet course costs'
)
#: The same before "not to ...", where another word tells who was told.
TOLD_TO = words(
    'sure careful care you remember try want like prefer important begging and but or is '
    'are please '
    'asked required necessary certain'
)
#: Before a verb in its base form; "you" stands in it, or what says that everybody is meant.
BASE_LEADS = phrases(
    '|'.join(
        [f'you {one} {no}' for one in sorted(MODALS) for no in ('not', 'never')]
        + [f'{one} you not' for one in sorted(MODALS)]
        + [f'{one} {two}' for one in ('nobody', 'no one', 'no robot') for two in sorted(MODALS)]
    )
    + '|you are not to|you are never to|you are not allowed to|you are not permitted to'
    '|you are not supposed to|you are not going to|you are not meant to|you are not expected to'
    '|you are never allowed to|it is not allowed to|it is not permitted to|it is not okay to'
    '|it is not ok to|it is not allowed that you|nobody is to|no one is to|nobody is allowed to'
    '|no one is allowed to|i forbid you to|we forbid you to|i forbid you ever to|forbidden to'
    '|prohibited to|i do not want you to|we do not want you to|i would not like you to'
    '|i do not allow you to|i do not permit you to|you did not|i never want you to'
    '|never should you|never may you|never must you|never are you to|never shall you'
    '|i must ask you not to|no|you better not|you had better not|you would better not'
    '|you dare not|no need ever to'
)
#: The same; who is meant has to be told by what stands before.
BARE_LEADS = phrases('do not|never|do never|to never|dare not')
#: The same, only at the beginning of a clause: "Anna must not".
MODAL_LEADS = phrases('|'.join(f'{one} not' for one in sorted(MODALS)))
NOT_TO_LEADS = phrases('not to|to not|never to')
#: What may stand between those and the verb.
BEHIND_LEADS = words('ever even you dare please actually')
#: Before a verb in -ing.
GERUND_LEADS = phrases(
    'without|without ever|without even|avoid|avoiding|refrain from|abstain from|desist from'
    '|keep from|forbidden from|prohibited from|banned from|stop|quit|cease|no|instead of'
    '|rather than|i forbid you|i will not have you|we will not have you|i do not want you'
    '|i forbid|i prohibit you from|i ban you from|i forbid you from|not in favor of'
    '|i do not want to see you|i do not allow|no more|i will not tolerate|i object to you'
    '|i object to|do not think of|do not even think about|do not think about|hold off'
    '|there is to be no|there will be no|there must be no|there should be no'
)
#: Before what shall be brought about, or shall not come about, by what is asked.
REASONS = phrases(
    'to avoid|to prevent|in order to avoid|in order to prevent|so that|so as not to'
    '|to keep it from'
    '|in order not to|for avoiding|thereby avoiding|thus avoiding'
)
#: Before a thing that nobody shall come near, or touch.
AWAY = phrases(
    'stay away from|keep away from|stay out of|keep out of|stay clear of|keep clear of'
    '|steer clear of|stay off|keep off|stay well away from|keep well away from'
)
HANDS_OFF = phrases(
    'keep your hands off|keep hands off|hands off|keep your paws off|paws off|keep your mitts off'
    '|keep your hands away from|keep your hands off of|hands off of|keep your grippers off'
    '|keep your gripper off|do not lay hands on|do not lay a hand on|do not lay a finger on'
    '|do not put your hands on|keep your fingers off|fingers off|do not mess with'
    '|do not fiddle with|do not tamper with|do not interfere with'
)
#: Behind a form of "be" and a thing, or what is done.
IS_FORBIDDEN = phrases(
    'off limits|out of bounds|forbidden|prohibited|taboo|not allowed|not permitted|banned|a no no'
    '|a no go|not ok|not okay|never allowed|never permitted|not an option|disallowed'
    '|out of the question|no option|never an option|not acceptable|unacceptable|not to happen'
    '|none of your business|no business of yours|not your business|nothing for you|a taboo'
    '|not welcome|verboten|not something i want|not your job|not tolerated'
)
NOT_TO_HAPPEN = phrases(
    'will not be tolerated|must not happen|should not happen|may not happen|will not do'
    '|shall not happen|can not happen|must never happen|is not to be done|must not be done'
)
INTENSE = words('strictly absolutely completely totally hereby entirely utterly definitely simply')
#: A state that is to be kept, and what would change it: a state, or `None` for all that is done.
KEPT = {
    'closed': 'open', 'shut': 'open', 'unopened': 'open', 'off': 'on', 'on': 'off',
    'running': 'off', 'open': 'closed', 'alone': '', 'untouched': '', 'be': '', 'where': 'taken',
}  # fmt: skip
STAYS = words('stay stays remain remains kept left')
#: Verbs that undo a negation, and those that ask for nothing when negated.
NO_DEED = words(
    'forget fail hesitate neglect miss omit skip need have has bother worry mind care know think '
    'remember see find hear believe understand matter seem look feel say mean panic be stop let '
    'too so very really quite want like wish go allow permit to not never only just open'
) - {'open', 'go'}  # fmt: skip
#: For whatever is done with a thing.
TOUCHING = {
    Form.BASE: words('touch handle disturb use move bother'),
    Form.GERUND: words('touching handling disturbing using moving bothering'),
    Form.PARTICIPLE: words('touched handled disturbed used moved bothered'),
}
ANYTHING = phrases('anything at all|anything|any thing|everything|any things|nothing|stuff')
#: Say when, and are no part of a thing's name.
WHEN = words('today tonight tomorrow ever anymore whatsoever alone later')
#: With these a number is compared, and no thing is named.
COMPARING = words('more than fewer less most least')
#: Words between a verb and its thing, and those that lead to a place.
THROUGH = phrases('anywhere near|near|into|inside|in|through|to|towards|toward|onto|on|of|at|with'
                  '|out of|off|from|near to|close to|out|into the|over to|for')  # fmt: skip
#: Say nothing more, behind a prohibition.
TRAILING = phrases(
    'under any circumstances|at all times|at all|in any case|ever|at any time'
    '|at any point|at all costs|at any cost'
    '|on the way|by you|by any means|in any way|whatever happens|today|today or ever'
    '|no matter what'
    '|for any reason|by yourself|please|thank you|while you are at it|okay|ok|or else|ever again'
    '|again|is that clear|got it|and that is final|whatsoever|anymore|any more|in the process'
    '|for whatever reason|on any account'
)
#: Make it hold for a time, a number or a case.
RELEASES = words('until till unless before yet if longer once twice times except whether provided')
CONDITIONS = words('if unless whether provided providing assuming supposing otherwise depending')
#: Behind "if", these are no condition: "I would appreciate it if you did not".
POLITE_BEFORE_IF = words(
    'appreciate prefer great nice good better grateful glad happy kind mind wonder it wondering'
)
QUESTIONS = words('is are was were am do did does why what has have should may must')
#: Between a subject and a participle: "must not be", "is never to be".
NOT_BE = phrases(
    '|'.join(
        [f'{one} {no} be' for one in sorted(MODALS) for no in ('not', 'never')]
        + [
            f'{one} {no} {be}to be'
            for one in ('is', 'are')
            for no in ('not', 'never')
            for be in ('', 'allowed ', 'permitted ', 'supposed ', 'meant ')
        ]
    )
    + '|do not get|is forbidden to be|are forbidden to be|has never to be|ought not to be'
    '|ought never to be|needs to never be|must not ever be|should not ever be|must not get'
)  # fmt: skip
#: The same, where the subject says "no" or the sentence has begun with it.
BE_AFTER_NO = phrases(
    '|'.join(f'{one} be' for one in sorted(MODALS)) + '|is to be|are to be|to be|be|is|are|ever be'
)
#: "the tray cannot go in the kiln", "should not be on the table".
NOT_THERE = phrases(
    '|'.join(
        f'{one} {no} {be}' for one in sorted(MODALS) for no in ('not', 'never')
        for be in ('be', 'go', 'stay', 'stand', 'lie', 'remain', 'end up', 'belong')
    )
    + '|do not go|does not go|do not belong|does not belong|never goes|is not to go|are not to go'
)  # fmt: skip
#: Verbs that ask for something where they are told of none: "leave no crate there".
LEAVING = words('leave make give have keep get check look')
#: Except from all of a sort, or from a place.
EXCEPT = phrases('except for|except|excepting|apart from|aside from|excluding|other than|all but'
                 '|anything but|anywhere but|everything but|anywhere except'
                 '|with the exception of')  # fmt: skip
EXCEPTIONS = phrases('but|not', EXCEPT)
SOME_OF_A_SORT = words('a an some any those these few several')
ALL_OF_SORT = words('all every each any')
#: Without one of these a sentence forbids nothing, and tells no rule in time.
CUES = (
    FORBIDDING
    | EXCEPTING
    | words(
        'stay stays remain remains keep keeps leave let kept hands paws mitts fingers finger '
        'grippers gripper away clear off but than stop illegal only before after once until till '
        'whenever time every each any often most maximum up fewer less within immediately first '
        'always prior object dare if when soon instead rather'
    )
    | {
        max(phrase, key=len)
        for phrases_of in (IS_FORBIDDEN, NOT_TO_HAPPEN, AWAY, HANDS_OFF, BASE_LEADS, GERUND_LEADS)
        for phrase in phrases_of
        if FORBIDDING.isdisjoint(phrase)
    }
)

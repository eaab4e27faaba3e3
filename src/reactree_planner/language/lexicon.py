"""The English words that the grammar knows, once each, by what they do.

Nothing here names a thing, a place or a skill: those come from the skill server.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


class Phrases(frozenset[tuple[str, ...]]):
    """Phrases as their words, found by their first."""

    _by_first: dict[str, list[tuple[str, ...]]]

    def at(self, words: tuple[str, ...], at: int) -> Iterator[int]:
        """Ends of the phrases that begin at a word, the longest first."""
        if not hasattr(self, '_by_first'):
            self._by_first = {}
            for one in sorted(self, key=lambda phrase: (-len(phrase), phrase)):
                self._by_first.setdefault(one[0], []).append(one)
        for one in self._by_first.get(words[at], ()) if at < len(words) else ():
            if words[at : at + len(one)] == one:
                yield at + len(one)


def phrases(text: str, *others: Iterable[tuple[str, ...]]) -> Phrases:
    """Phrases that "|" parts, and others."""
    told = (tuple(one.split()) for one in text.split('|') if one.split())
    return Phrases((*told, *(phrase for more in others for phrase in more)))


# Noun phrases ------------------------------------------------------------------------------------

ARTICLES = words('a an')
#: A thing that was named before, or the only one.
DEFINITE = words('the this that these those my our your his her their its')
EVERY = words('all every each')
#: Say no number: "some", "any".
SOME = words('some any')
DETERMINERS = ARTICLES | DEFINITE | EVERY | SOME
#: Another one than those named before.
FURTHER = words('another')
REST = words('other others rest remaining')
NUMBERS = {
    'one': 1, 'two': 2, 'both': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'seven': 7,
    'eight': 8, 'nine': 9, 'ten': 10, 'eleven': 11, 'twelve': 12, 'thirteen': 13, 'fourteen': 14,
    'fifteen': 15, 'sixteen': 16, 'seventeen': 17, 'eighteen': 18, 'nineteen': 19, 'twenty': 20,
    'thirty': 30, 'forty': 40, 'fifty': 50, 'sixty': 60, 'seventy': 70, 'eighty': 80,
    'ninety': 90,
}  # fmt: skip
_HIGHER = {'dozen': 12, 'hundred': 100}
#: All words that a number may have, be it read or not.
NUMBER_WORDS = NUMBERS.keys() | words(
    'a an another single pair couple once twice dozen hundred thousand million score half third '
    'thirds quarter quarters percent'
)


def number_of(words: Sequence[str]) -> int | None:
    """What the words of a number say: "two", "twenty five", "two dozen"; None for others."""
    known = {**NUMBERS, 'once': 1, 'twice': 2, 'dozen': 12, 'both': None}
    first, second = (*words, '')[:2]
    number = int(first) if first.isdecimal() and len(first) < 10 else known.get(first)
    if len(words) == 1:
        return number
    if len(words) > 2:
        return None
    if first.endswith('ty') and number and second in NUMBERS and NUMBERS[second] < 10:
        return number + NUMBERS[second]
    times = 1 if first == 'a' else number
    return times * _HIGHER[second] if times is not None and second in _HIGHER else None


#: Before "of" and a name: how many of it.
MEASURES = {'couple': 2, 'pair': 2, **_HIGHER}
#: Say how many in a way that no count tells: what they stand before is not read.
UNCOUNTED = words(
    'few several many most half thirds quarters percent dozens hundreds thousand thousands '
    'million zero minus'
)
#: Take some out of all: "all crates excluding crate 3".
EXCEPTING = words('excluding exception apart aside minus')
#: Before "of" and a name: one of it, in something or of some shape.
PORTIONS = words(
    'bottle can jar glass cup piece portion bar loaf roll box bag pack packet tin carton sheet '
    'head set stick tube unit bunch pile stack'
)
#: Behind the name of what is sold in one: "the oil bottle".
PACKAGES = words('bottle can carton packet tin drink')
ORDINALS = {'first': 1, 'second': 2, 'third': 3, 'fourth': 4, 'fifth': 5, 'sixth': 6, 'last': 0}
#: Say of a thing what changes nothing about which one is meant.
EMPTY_ADJECTIVES = words('single separate individual own whole following')
#: Stand for all things, and those that need it told where these are.
EVERYTHING = phrases('everything|all the things|all things|all the items|all items|every thing'
                     '|every item|every object|all objects|all the objects|all parts'
                     '|all the parts|every part')  # fmt: skip
WHATEVER = words('whatever what')
#: Behind these, things that were not named before.
ELSE = words('else')
#: Where things are, as a verb.
LIES = words("is are lies lie sits sit stands stand rests rest remains remain 's")
#: Between all and those that are not meant.
ALL_BUT = phrases('but|except|except for|apart from|aside from|other than|but not|but for'
                  '|excluding|excepting|save|save for|with the exception of')  # fmt: skip
#: The place of what follows.
WHERE = phrases('where|the place where|the spot where|the position where|wherever')
#: Nothing shall be left there.
CLEARING = phrases('clear|empty|clear off|clear out|empty out')
#: Each shall be where the other is.
SWAPPING = phrases('swap|exchange|interchange|swap the places of|exchange the places of'
                   '|swap the positions of|exchange the positions of')  # fmt: skip
#: The same, behind both.
SWAP_PLACES = phrases('swap places|exchange places|change places|switch places|trade places'
                      '|swap positions')  # fmt: skip
#: Of several that are alike, each is meant.
ANY_ONE = phrases(
    '|'.join(f'{one} {fine}' for one in ('either one', 'either', 'any one', 'any of them',
    'either of them', 'any') for fine in ('will do', 'is fine', 'will be fine', 'is ok'))
    + ''.join(f'|{so} which|{so} which one' for so in ('it does not matter', 'no matter',
              'i do not mind', 'i do not care', 'we do not mind', 'we do not care'))
)  # fmt: skip
#: Nouns for whatever was named before or follows: "the following items".
ANY_THINGS = words('item items thing things object objects')
#: Of what nobody names: "something to write with", and what begins to tell more of a thing.
SOME_THING = ANY_THINGS | words('something anything whatever somewhere')
DESCRIBING = words('for to that which who used of where containing people you made provided')
SINGULAR_PRONOUNS = words('it this that')
PLURAL_PRONOUNS = words('them they these those both all')
#: Before a verb that tells what they do.
PERSONS = words('i we you he she it they who')
#: What is told of somebody, or of the day, is true now, or will be.
NOW = words("is are 's has")
EVENTS = words('come comes arrive arrives start starts begin begins end ends return returns')
#: It is hoped for, or will be.
FUTURE = words('will let hope expect means')
#: Between people and what they will have with them.
NEEDING = phrases('means|use|need|want|hope to find|expect to find')
#: Behind it, and no other day.
TODAY = words('today tonight soon')
#: Something is asked for, or is missing.
LACKING = words('need needs want wants wish like missing lacking lack lacks required out hope')
#: What was said is not meant.
FALSE = words('kidding joking joke kid lying lie mistaken wrong testing test pretend pretending')
#: Before a reason.
BECAUSE = words('because since')
#: Whom things are brought to: the robot holds them out, which no skill of its own does.
PEOPLE = words('me us')

# Places ------------------------------------------------------------------------------------------

#: Words after which a text tells where something is or shall be.
PREPOSITIONS = words('in into inside on onto upon at to from under near beside behind')
#: In or on a place, and the way there.
IN = phrases(
    'in|inside|inside of|within|into|on|onto|upon|on to|in to|on top of|on the top of|to|at|atop'
    '|over to|over in|over on|down on|down in|back in|back on|back to|back into|back onto|up on'
    '|up in|away in|down onto|off at|off to'
)
#: In or on it, and no way there.
RESTING = phrases(
    'in|inside|inside of|on|on top of|at|from|within|under|by|near|beside|next to|right next to'
    '|close to|alongside'
)
#: Where a thing is taken from.
FROM = phrases('from|out of|off|off of|from inside|out from|from the top of|from within')
#: Where another thing is: in or on the same place.
NEAR = phrases(
    'next to|right next to|beside|near|by|close to|alongside|alongside of|right beside|near to'
    '|at the side of|in the same place as|at the same place as'
)
#: On a certain side of another thing, which no place by its name tells.
ON_SIDE_OF = phrases(
    'under|beneath|below|behind|above|over|in front of|to the left of|to the right of|left of'
    '|right of|on the left of|on the right of|along|against|between|in between|around|underneath'
    '|opposite|across from|at the left of|at the right of|to the left side of'
    '|to the right side of|on the left side of|on the right side of'
)
BESIDE = phrases('', NEAR, ON_SIDE_OF)
#: Which of several that is depends on where each of them is.
RANKING = words('nearest closest farthest furthest leftmost rightmost nearer closer')
#: The same, behind "that stands".
TOGETHER = phrases('with|together with', NEAR)
#: With them "with" tells no tool: "put the drum with the tray".
LAYING = words('put place lay leave store')
TO = phrases('to|into|to the front of|over to|up to|towards|toward|back to|in|inside')
#: Behind "is missing".
IN_OR_FROM = phrases('in|on|at|from|inside')
ONTO = phrases(
    'to|into|onto|over to|back to|on to|in to|back into|back onto|up to|down to|over into'
)
#: Where a thing is now.
WHEREABOUTS = phrases('', RESTING, FROM)
#: Where a place is.
PLACED = phrases('of|on the left of', RESTING, BESIDE)
#: Where something is searched for.
LOOKING_IN = phrases('around|through|all over', RESTING)
#: Where things are taken out.
OUT = phrases('out', FROM)
#: By, with or at which something is changed.
USING = phrases('with|using|in|at|by|on|inside|by using|with the help of|under')
#: The light of a lamp.
#: With which something is looked at, where a lamp follows.
BY_LIGHT = phrases('with|using|by|under|by using|with the help of')
LIGHT_OF = phrases('the light of|light of|the light from|light from')
#: What belongs to a place and is no other: "the door of the chest", "the chest door".
PARTS = words('door doors lid')
#: Sides of a place, which no condition tells apart.
REGIONS = words(
    'back edge corner middle end top side bottom front center centre left right far near other'
)

# Clauses -----------------------------------------------------------------------------------------

ON, OFF = 'on', 'off'
BE = words("is are be 's been being am")
SHALL = words('should must shall')
MODALS = SHALL | words('may can could will would might')
#: "has to be", "needs to be", "ought to be".
HAS_TO = phrases('has to|have to|needs to|need to|ought to|is to|are to|would have to|had better')
BELONGS = phrases(
    'goes|go|belongs|belong|has to go|have to go|should go|must go|shall go|should stay'
    '|must stay|to go'
)
NEEDS = words('needs need')
#: "the drum must not stay outside the shed".
NOT_OUTSIDE = phrases(
    '|'.join(
        f'{one} not {stay} {out}'
        for one in sorted(MODALS) for stay in ('keep', 'stay', 'be', 'be left', 'remain', 'stand')
        for out in ('outside', 'outside of', 'out of')
    )
)  # fmt: skip
#: "prepare a set on the pallet: a cup and a tray": the list says what it consists of.
PREPARING = words('prepare make lay set serve arrange provide')
#: "They should lie on the table."
STANDING = words('lie stand sit rest hang be')
#: Subjects of a wish.
WISHERS = words('i we')
WISHES = phrases(
    'want|need|would like|would love|would love to have|would like to have|want to have|d like'
    '|wish for'
)
#: "I want you to ...", "you should ...": what follows is asked.
REQUESTS = phrases(
    'i want you to|i need you to|i would like you to|we need you to|we want you to|you should'
    '|you must|you have to|you need to|your task is to|your job is to|your goal is to'
    '|the task is to|the goal is to|could you|can you|would you|will you|could you maybe'
    '|would you mind|do you mind|would you kindly|could you please|can you please|would you please'
    '|you are to|goal :|task :|make sure to|be sure to|remember to|do not forget to|try to|help me'
    '|i was wondering if you could|it is time to|time to|go and|go ahead and|your job to|goal'
    '|go to|proceed to|use your arm to|let us|would it be possible to|is it possible to'
    '|do you think you could|do you think you can'
    '|be able to|be so kind as to|be so good as to|be kind enough to|is it possible for you to'
    '|may i ask you to|could i ask you to|can i ask you to|do you think you can manage to'
    '|do you think you could manage to|would you be able to|could you be so kind as to'
    '|would you be so kind as to|could you be so good as to|would you be so good as to'
    '|would you be kind enough to|could you be kind enough to|be a dear and'
    '|it would be nice if you|it would be lovely if you|it would be great if you'
    '|i would appreciate it if you would|i would appreciate it if you could|never fail to'
    '|do not fail to|never forget to|please do'
)
#: "make sure the gate is shut": what follows shall hold.
ENSURING = phrases(
    'make sure that|make sure|ensure that|ensure|see to it that|see that|be sure that|be sure'
    '|check that|i want|we want|i need|verify that|in the end|at the end|the end result'
    '|by the end|it is important that|make certain that|make certain'
)
#: Begin or end what is asked, and say nothing of it. One word may stand anywhere.
POLITE = words('please kindly thanks cheers pls plz thx')
GREETINGS = phrases(
    'hello|hi|hey|hi there|hello there|good morning|good evening|good afternoon|robot|hey robot'
    '|hello robot|dear robot|home robot|service robot|ok|okay|thank you|thank you very much'
    '|thank you so much|thanks a lot|many thanks|thanks in advance|sir|buddy|hi robot|ok robot'
    '|home service robot|robot assistant|if you do not mind|if you would'
    '|if possible|if it is possible|if you can|for me|for us|will you|would you|could you'
    '|right away|as soon as possible|right now|if it is not too much trouble|ok robot'
    '|much appreciated|good night|morning|evening|hey there|many thanks in advance'
    '|pretty please|sorry to bother you|sorry to bother you again|excuse me|when you have time'
    '|if you have a minute|if you have time|when you get a chance|as soon as you can|ma am'
)
#: Change nothing about what shall hold.
ADVERBS = words(
    'just also simply carefully gently quickly slowly neatly properly safely now '
    'perhaps maybe possibly together nicely quietly well'
)
AND = words('and & plus')
COORDINATORS = words('and but or nor')
#: "together with", between two things that are handled alike.
ALONG_WITH = phrases('and|&|plus|as well as|along with|together with|and also|and then'
                     '|in addition to|and finally')  # fmt: skip
#: What follows is done later than what stands before.
THEN = phrases(
    'then|and then|after that|afterwards|afterward|thereafter|next|finally|lastly|after this'
    '|later|subsequently|once that is done|once done|when that is done|when done|once this is done'
    '|once you have done that|when you are done|and after that|and afterwards|and finally'
    '|when you are finished'
    '|and lastly|then finally|once it is done|after you are done|after doing so|at last|and next'
    '|when finished|once finished|when you have done that|after doing that|once you are done'
    '|secondly|thirdly|second ,|third ,|fourth ,|fifth ,|and then finally|followed by|last'
    '|once complete|then after that|at the end'
    '|once they are there|once it is there|once it is in there|once they are in there'
)
#: Behind what is done later.
AFTERWARDS = phrases(
    'afterwards|afterward|after that|when you are done|once you are done|when you are finished'
    '|when you have finished|when done|when finished|once done'
)
FIRST = phrases('first|firstly|first of all|to begin|to start|begin by|start by|to start with')
STEPS = words('step')
#: Somewhere behind the verb: order of two clauses.
BEFORE = phrases('before')
AFTER = phrases('after|once you have|when you have|as soon as you have|after having')
WHILE = phrases('while|whilst|as you are')
#: What it is said to be made of or with.
OUT_OF = phrases('out of|from|with|using|by using|of')
#: Behind a name: where it is now.
LYING = words('lying standing sitting located kept resting hanging placed found stored currently')
#: Behind "should be": "waiting on the table".
WAITING = words('waiting ready standing lying sitting placed set laid out')
#: What is said of a wish: "two crates on the truck would be nice".
PLEASING = phrases(
    'would be nice|would be great|would be good|would be lovely|would be perfect|would be fine'
    '|would be wonderful|would be ideal|would be helpful|would be appreciated'
)
RELATIVE = words('which that')
PROBABLY = words('probably maybe perhaps possibly likely usually')

# What forbids, and what ties clauses to each other -----------------------------------------------

#: A sentence with one of these that is not read as forbidding asks for nothing.
FORBIDDING = words(
    'not never no neither nor without avoid avoiding refrain refraining abstain forbid forbidden '
    'forbids forbidding prohibit prohibited prohibits ban banned taboo nothing nobody none dare '
    'quit cease nowhere untouched except excepting unless refuse refrained illegal disallowed '
    'disallow desist alone limits bounds hardly excepted'
)
#: A sentence with one of these that is not read may mean something else than its clauses.
CONTRASTING = (
    FORBIDDING
    | EXCEPTING
    | words(
        'but if whether although though however rather instead otherwise until till only while '
        'whereas unlike besides either or else'
    )
)
#: With one of these a question asks for something to be done.
ASKING = words('you possible please mind')
#: A sentence of these alone takes back what was said before.
TAKING_BACK = words(
    'no nope wait stop halt cancel forget mind actually sorry not nothing strike scratch'
)
#: The same of time: what is said by these is a rule, or is told as not kept.
TIMING = words('only within second seconds minute minutes hour hours')
#: A clause with one of these depends on another, or on the world.
TYING = words(
    'but except excepting unless if until till only instead rather although though however while '
    'whereas otherwise else then before after once when whenever first last again back it them '
    'they this that these those there one ones other others another both either or same such '
    'former latter not no never nothing none neither nor without besides because so'
)
#: Words of the language: none of them is a name or an adjective that is not known.
CLOSED = frozenset().union(
    DETERMINERS, FURTHER, REST, NUMBERS, MEASURES,
    SINGULAR_PRONOUNS, PLURAL_PRONOUNS, PEOPLE, BE,
    SHALL, NEEDS,
    WISHERS, POLITE, ADVERBS, COORDINATORS, LYING,
    RELATIVE, TYING, FORBIDDING, ANY_THINGS,
    EMPTY_ADJECTIVES, ORDINALS, UNCOUNTED, EXCEPTING,
    words(
        'you he she his hers who whom what why how where there here do does did done will would '
        'can could may might has have had was were of by as so up down out away off per than '
        'very really quite not let s t re ve ll d m someone somebody everyone everybody nobody '
        'something anything everything nothing want wants like need needs please'
    ),
    (word for phrase in (*IN, *FROM, *BESIDE) for word in phrase),
)  # fmt: skip

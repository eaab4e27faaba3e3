"""A sentence of any language in clauses: what may be quoted of it, and what forbids in which."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactree_planner.language.languages import language
from reactree_planner.language.quoting import QuotedText


def quoted(text, code='de'):
    return QuotedText(text, language(code))


def said(sentence, places):
    return [sentence.words(at, at + 1) for at in sorted(places)]


@pytest.mark.parametrize(
    ('code', 'clauses', 'forbidding', 'joints'),
    [
        ('de', 'Leg das Netz in die Truhe|aber öffne nie das Boot|Danach hol das Seil', 'nie', ''),
        ('de', 'Bring das Seil|ohne die Truhe zu öffnen', 'ohne', ''),
        ('de', 'Bevor du die Truhe öffnest|hol das Seil', '', ''),
        ('de', 'Hol das Seil|und öffne nicht die Truhe', 'nicht', 'und'),
        ('de', 'Hol das Seil und das Netz', '', 'und'),
        # With a letter wrong, or without its accents.
        ('de', 'Öffne nimals die Truhe', 'nimals', ''),
        ('es', 'Toma la cuerda|jamas abras la caja', 'jamas', ''),
        ('fr', "N'ouvre ni le placard|ni la caisse|et prends l'oignon", "N'ouvre ni ni", 'et'),
        ('fr', "Avant d'ouvrir le placard|prends le savon", '', ''),
        ('es', 'No abras el armario|ni la caja|Pon el jabón en la mesa|y no abras la caja',
         'No ni no', 'y'),
        ('es', 'Si el gato duerme|abre la caja', '', ''),
        ('it', "Non aprire l'armadio|senza bussare", 'Non senza', ''),
        ('en', "Don't open the chest|but bring the rope|then coil it", "Don't", ''),
        ('en', "I'll take two ropes|without opening the chest", 'without', ''),
        ('ru', 'Не открывай ящик|а потом возьми верёвку', 'Не', 'а'),
        ('tr', 'Kutuyu açma|ipi getir', 'açma', ''),
        ('ja', '箱を開けないで|縄を取って', 'な い で', ''),
        ('zh', '不要打开箱子|然后拿绳子', '不', ''),
    ],
)  # fmt: skip
@pytest.mark.parametrize('sign', [', ', ' (', '; '])
def test_what_forbids_parts_a_sentence_from_what_does_not(code, clauses, forbidding, joints, sign):
    parts = clauses.split('|')
    opening = ('ohne', 'ni ', 'und öffne', 'y no', 'senza', 'without')
    text = parts[0]
    for part in parts[1:]:
        # Some words begin a clause without a sign.
        text += (' ' if part.startswith(opening) else sign) + part
    for written in (text, text.upper() if code not in ('tr', 'de') else text):
        sentence = quoted(written + '.', code)
        everything = range(len(sentence))
        assert [one.casefold() for one in sentence.clauses_of(everything)] == [
            one.casefold() for one in parts
        ]
        assert ' '.join(said(sentence, sentence.forbidding)).casefold() == forbidding.casefold()
        if sign == ', ':
            found = said(sentence, sentence.joints(0, len(sentence)))
            assert ' '.join(found).casefold() == joints


@pytest.mark.parametrize(
    'text',
    ['Es ist verboten, die Truhe zu öffnen.', 'Öffne die Truhe, niemals!'],
)
def test_what_says_nothing_but_that_it_forbids_belongs_to_its_neighbour(text):
    sentence = quoted(f'Hol das Seil. {text} Hol das Netz.')
    (clause,) = sentence.clauses_of(sentence.forbidding)
    assert clause == text.rstrip('.!')


@pytest.mark.parametrize(
    ('code', 'text', 'order', 'small'),
    [
        ('de', 'Danach hol das Seil', 'Danach', 'Danach das'),
        ('en', "Then I'll coil it", 'Then', "Then I'll it"),
        ('it', 'e poi porta la corda', 'poi', 'e poi la'),
        ('zh', '然后拿绳子', '然 后', '然 后'),
        ('fr', "prends l'oignon et l'", '', 'et l'),
        # Nothing is small, and nothing tells an order, where the language is not known.
        ('', 'danach das Seil', '', ''),
    ],
)
def test_small_words_and_words_of_order_are_those_of_the_language(code, text, order, small):
    sentence = quoted(text, code)
    assert ' '.join(said(sentence, sentence.order)) == order
    found = [at for at in range(len(sentence)) if not sentence.is_content(at)]
    assert ' '.join(said(sentence, found)) == small
    assert sentence.is_listed == bool(code) == sentence.tells_order


def test_before_tells_an_order_where_nothing_else_is_turned():
    sentence = quoted('Bevor du die Truhe öffnest, hol das Seil.')
    assert not sentence.turned(0, 5) and sentence.comes_last(0, 5)
    assert not sentence.comes_last(5, 8)
    sentence = quoted('Bevor du die Truhe öffnest, hol nie das Seil. Hol das Netz.')
    assert said(sentence, sentence.turned(0, 5)) == ['Bevor']
    assert said(sentence, sentence.turned(5, 9)) == ['nie']
    assert not sentence.turned(9, 12)
    assert list(sentence.in_sentence_of(3)) == list(range(9))
    assert list(sentence.in_sentence_of(10)) == [9, 10, 11]


@pytest.mark.parametrize(
    ('code', 'text', 'may'),
    [
        ('de', 'Öffne nie die Truhe', True),
        ('de', 'Öffne aber die Truhe', True),
        ('de', 'Wenn es regnet, öffne die Truhe', False),
        ('en', 'But open the chest', False),
        ('en', 'Never open the chest', True),
        ('', 'Konro ni sawaranaide', True),
    ],
)
def test_what_may_tell_of_something_forbidden(code, text, may):
    sentence = quoted(text, code)
    assert sentence.may_forbid(sentence.turned(0, 1)) is may


@pytest.mark.parametrize(
    ('text', 'fresh', 'quotes'),
    [
        ('Hol das Seil', (0, 1, 2), ['Hol', 'Hol das', 'Hol das Seil', 'das', 'das Seil', 'Seil']),
        ('Hol das Seil', (2,), ['Hol das Seil', 'das Seil', 'Seil']),
        ('Hol das Seil', (), []),
        # Only of the first sentence with a fresh word.
        ('Hol Seil. Hol Netz.', (1, 2, 3), ['Hol Seil', 'Seil']),
        ('Hol Seil. Hol Netz.', (2, 3), ['Hol', 'Hol Netz', 'Netz']),
        # With what forbids, as long as nothing has quoted that, and nothing of another clause.
        ('Seil, öffne nie Truhe', (0, 1, 2, 3),
         ['Seil', 'öffne nie', 'öffne nie Truhe', 'nie', 'nie Truhe']),
        ('öffne nie Truhe', (2,), ['öffne nie Truhe', 'nie Truhe', 'Truhe']),
        ('Hol Seil, Netz', (0, 1, 2), ['Hol', 'Hol Seil', 'Hol Seil, Netz', 'Seil', 'Seil, Netz',
                                       'Netz']),
    ],
)  # fmt: skip
def test_what_may_be_quoted(text, fresh, quotes):
    assert list(quoted(text).quotes(fresh)) == quotes


def test_of_a_long_sentence_whole_clauses_may_be_quoted_and_not_too_many():
    long, other = (' '.join(f'{name}{n}' for n in range(30)) for name in ('seil', 'netz'))
    sentence = quoted(f'{long}, {other}.')
    quotes = sentence.quotes(range(len(sentence)))
    assert len(quotes) == 240
    # Whole clauses, however long they are; else at most fourteen words.
    longer = {words for words, (start, end) in quotes.items() if end - start > 14}
    assert longer == {long, other, f'{long}, {other}'}
    words = [f'wort{n}' for n in range(200)]
    sentence = quoted(' '.join(words))
    far = sentence.quotes(range(150, 200))
    assert far and all(start >= 150 - 48 for start, _ in far.values())
    assert 'wort150' in far


@pytest.mark.parametrize(
    ('unread', 'phrases'),
    [
        ((0, 2), ('Hol das Seil',)),
        ((0,), ('Hol',)),
        ((2, 3), ('Seil', 'Bring')),
        ((0, 2, 3, 4), ('Hol das Seil', 'Bring Netz')),
        ((), ()),
    ],
)
def test_what_was_not_read_is_told_in_phrases_of_its_sentence(unread, phrases):
    assert quoted('Hol das Seil. Bring Netz.').phrases(unread) == phrases


@given(st.text(alphabet='abñ縄 .,!\'’"Ω1²\n', max_size=30), st.sampled_from(['de', 'ja', '']))
def test_every_letter_and_digit_stands_in_one_word(text, code):
    sentence = quoted(text, code)
    covered = [at for start, end in sentence.spans for at in range(start, end)]
    assert len(covered) == len(set(covered))
    assert {at for at, letter in enumerate(text) if letter.isalnum()} <= set(covered)
    for index, (start, end) in enumerate(sentence.spans):
        assert sentence.at(start, end) == {index}
        assert sentence.word(index) == text[start:end].casefold()

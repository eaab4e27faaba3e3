"""Goals in scripts that an encoder does not know: told apart by letters, and that is said once."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from memory_server.episodic.episodic_memory import EpisodicMemory
from memory_server.store.sqlite_store import SqliteStore
from reactree_core.embedding import sentence_transformer
from reactree_core.embedding.encoders import HashingEmbedder
from reactree_core.embedding.registry import choose_embedder
from reactree_core.embedding.scripts import script_of, ScriptGuard
from reactree_core.experience import Experience, ExperienceQuery, Termination

#: A goal, the same in other words, and three others.
GOALS = {
    'Chinese': ('把橙子放进冰箱', '将橙子放到冰箱里', '洗碗', '打开电视', '给我拿一杯水'),
    'Japanese': (
        'オレンジを冷蔵庫に入れて',
        '冷蔵庫にオレンジを入れてください',
        '皿を洗って',
        'テレビをつけて',
        '水を一杯持ってきて',
    ),
    'Korean': (
        '오렌지를 냉장고에 넣어',
        '냉장고 안에 오렌지를 넣어 주세요',
        '설거지를 해',
        '텔레비전을 켜',
        '물 한 잔 가져다 줘',
    ),
    'Cyrillic': (
        'положи апельсин в холодильник',
        'убери апельсины в холодильник',
        'помой посуду',
        'включи телевизор',
        'принеси мне стакан воды',
    ),
    'Devanagari': (
        'संतरे को फ्रिज में रखो',
        'संतरा फ्रिज में डाल दो',
        'बर्तन धो दो',
        'टीवी चालू करो',
        'मुझे एक गिलास पानी लाओ',
    ),
    'Thai': ('เอาส้มใส่ตู้เย็น', 'ใส่ส้มลงในตู้เย็น', 'ล้างจาน', 'เปิดโทรทัศน์', 'เอาน้ำมาให้ฉัน'),
}


@pytest.fixture(scope='module')
def told():
    return []


@pytest.fixture(scope='module')
def minilm(told):
    return choose_embedder('minilm', warn=told.append)[0]


@pytest.mark.parametrize('language', GOALS)
def test_goals_of_other_scripts_are_told_apart_and_that_is_said_once(minilm, told, language):
    goals = GOALS[language]
    alone = minilm._inner.embed(goals)
    vectors = minilm.embed(goals)
    cosines = vectors @ vectors.T
    others = np.concatenate([cosines[0, 2:], cosines[1, 2:]])
    # MiniLM itself: the mean is 0.53 to 1.
    assert (alone @ alone.T)[0, 2:].mean() > 0.45
    assert others.mean() < 0.15 < 0.25 < cosines[0, 1] - others.max()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(goals)), abs=1e-5)
    assert sum(f'sentences in {language} script' in sentence for sentence in told) == 1
    minilm.embed(goals)
    assert sum(f'sentences in {language} script' in sentence for sentence in told) == 1


def test_goals_of_other_scripts_are_near_to_no_english_one(minilm):
    english = minilm.embed(['put the orange in the fridge', 'wash dishes', 'turn on the tv'])
    for goals in GOALS.values():
        assert np.abs(english @ minilm.embed(goals).T).max() < 0.2


def test_what_an_encoder_knows_keeps_its_vectors(minilm, told):
    before = list(told)
    texts = [
        'wash the dishes',
        'lege die Orange in den Kühlschrank',
        'đặt quả cam vào tủ lạnh',
        '',
        '7',
    ]
    assert np.array_equal(minilm.embed(texts), minilm._inner.embed(texts))
    # Texts of several scripts together stay in their order.
    mixed = minilm.embed([texts[0], GOALS['Thai'][0], texts[1]])
    assert np.abs(mixed[[0, 2]] - minilm.embed(texts[:2])).max() < 1e-6
    assert np.array_equal(mixed[1:2], minilm.embed([GOALS['Thai'][0]]))
    assert [one for one in told if 'Thai' not in one] == [
        one for one in before if 'Thai' not in one
    ]
    assert minilm.name == minilm._inner.name


class Multilingual:
    """Stands for an encoder that tells every text from every other."""

    name = 'multilingual'
    dimension = 64

    def __init__(self):
        self.seen = []

    def embed(self, texts):
        self.seen += texts
        rows = np.empty((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], 'little')
            row[:] = np.random.default_rng(seed).standard_normal(self.dimension)
            row /= np.linalg.norm(row)
        return rows


def test_an_encoder_that_tells_them_apart_is_asked():
    told, inner = [], Multilingual()
    guard = ScriptGuard(inner, told.append)
    for goals in GOALS.values():
        assert np.array_equal(guard.embed(goals), inner.embed(goals))
    assert not told


@pytest.mark.parametrize(
    ('text', 'script'),
    [
        ('put the cup away', 'LATIN'),
        ('', 'LATIN'),
        ('42 !?', 'LATIN'),
        ('把杯子拿走', 'CJK'),
        ('冷蔵庫に入れて', 'KANA'),
        ('ﾃﾚﾋﾞ', 'KANA'),
        ('컵을 치워', 'HANGUL'),
        ('убери чашку', 'CYRILLIC'),
        ('go to café 苹果', 'LATIN'),
    ],
)
def test_the_script_of_a_text_is_that_of_most_letters(text, script):
    assert script_of(text) == script


def test_hashed_words_of_chinese_share_their_letters():
    for goals in (GOALS['Chinese'], GOALS['Japanese'], GOALS['Korean']):
        vectors = HashingEmbedder().embed(goals)
        cosines = vectors @ vectors.T
        assert cosines[0, 1] > cosines[0, 2:].max() + 0.15


def test_a_memory_finds_the_experience_of_the_same_goal(minilm):
    memory = EpisodicMemory(SqliteStore(None), minilm)
    for goals in GOALS.values():
        for goal in goals[1:]:
            text = f'Your task is to: {goal}'
            memory.store([Experience(goal, goal, text, Termination.SUCCESS, tokens=10)])
    for goals in GOALS.values():
        best, second = memory.retrieve(ExperienceQuery(goals[0], limit=2, token_budget=1000))
        assert best.goal == goals[1] and best.similarity > second.similarity + 0.2


def test_multilingual_is_a_model_of_its_own_by_name(monkeypatch):
    asked = []

    class Library:
        class SentenceTransformer:
            def __init__(self, model, **options):
                asked.append(model)

            def encode(self, texts, **options):
                return Multilingual().embed(texts)

    monkeypatch.setattr(sentence_transformer.importlib, 'import_module', lambda name: Library)
    embedder, remark = choose_embedder('multilingual')
    assert asked == ['sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2']
    assert embedder.name.endswith('/paraphrase-multilingual-MiniLM-L12-v2') and not remark

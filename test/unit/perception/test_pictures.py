"""Pictures that are torn, black, of other encodings, or large."""

from __future__ import annotations

import numpy as np
import pytest

from perception.errors import PictureError
from perception.pictures import colours_of, depths_of, grey_of, jpeg_of
from support.drawn_pictures import message


def some_pixels(height=6, width=5, channels=3):
    return np.arange(height * width * channels, dtype=np.uint8).reshape(height, width, channels)


@pytest.mark.parametrize('filler', [0, 7])
def test_every_encoding_becomes_the_same_pixels(filler):
    blue_first = some_pixels()
    red_first = blue_first[:, :, ::-1]
    full = np.full((6, 5, 1), 255, np.uint8)
    for encoding, pixels in (
        ('bgr8', blue_first),
        ('rgb8', red_first),
        ('bgra8', np.concatenate([blue_first, full], axis=2)),
        ('rgba8', np.concatenate([red_first, full], axis=2)),
    ):
        assert (colours_of(message(pixels, encoding, filler)) == blue_first).all(), encoding
    grey = some_pixels(channels=1)[:, :, 0]
    assert (colours_of(message(grey, 'mono8', filler))[:, :, 1] == grey).all()


def test_depths_are_metres_and_nothing_measured_is_no_number():
    raw = np.array([[1500, 0], [65535, 20]], np.uint16)
    assert depths_of(message(raw, '16UC1'))[0, 0] == pytest.approx(1.5)
    assert np.isnan(depths_of(message(raw, '16UC1'))[0, 1])
    told = message(raw.byteswap(), '16UC1')
    told.is_bigendian = 1
    assert depths_of(told)[0, 0] == pytest.approx(1.5)
    floats = np.array([[0.5, np.inf], [-1.0, np.nan]], np.float32)
    assert np.isnan(depths_of(message(floats, '32FC1'))).sum() == 3


@pytest.mark.parametrize(
    ('change', 'sentence'),
    [
        ({'data': b'\0' * 89}, 'torn: 5 x 6 pixels of bgr8 in lines of 15 bytes are 90 bytes'),
        ({'data': b'\0' * 91}, 'and 91 came'),
        ({'step': 14}, 'torn'),
        ({'step': 16}, 'torn'),
        ({'step': 2**32 - 1}, 'torn'),
        ({'encoding': 'bayer_rggb8'}, 'the encoding .bayer_rggb8. is not read: publish mono8'),
        ({'encoding': 'rgba8'}, 'torn'),
        ({'width': 0}, '0 x 6 pixels is not read'),
        ({'width': 2**31, 'height': 2**31}, 'pixels is not read'),
    ],
)
def test_what_is_torn_or_strange_is_refused_with_a_sentence(change, sentence):
    told = message(some_pixels())
    for name, value in change.items():
        setattr(told, name, value)
    with pytest.raises(PictureError, match=sentence):
        colours_of(told)


@pytest.mark.parametrize('level', [0, 128, 255])
def test_a_picture_of_one_brightness_is_not_an_empty_world(level):
    dark = np.full((480, 640, 3), level, np.uint8)
    grain = np.random.default_rng(0).integers(0, 3, dark.shape, np.uint8)
    with pytest.raises(PictureError, match='all of one brightness'):
        grey_of(np.minimum(dark, 252) + grain)


def test_a_large_picture_is_sent_small():
    pixels = np.random.default_rng(0).integers(0, 255, (2160, 3840, 3), np.uint8)
    file = jpeg_of(pixels, 640)
    assert file.media_type == 'image/jpeg'
    assert len(file.data) < 400_000

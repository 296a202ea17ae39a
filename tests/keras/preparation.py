"""Models of layers that stand in front of others: scales, images, tokens, signals."""

from __future__ import annotations

from tests.keras.rows import chain, graph

chain("rescaling", (5, 4, 3), lambda m: [m.Rescaling(1 / 127.0, -1.0), m.Rescaling([1.0, 2.0, 3.0], [0.0, 1.0, 2.0])])
chain("rescaling_of_bytes", (5, 4, 3), lambda m: [m.Rescaling(1 / 127.0)], "uint8")
chain(
    "normalization",
    (5, 4),
    lambda m: [
        m.Normalization(mean=[1.0, 2.0, 3.0, 4.0], variance=[1.0, 2.0, 3.0, 4.0]),
        m.Normalization(mean=0.5, variance=2.0, axis=None, invert=True),
        m.Normalization(),
        m.Normalization(axis=1),
    ],
)
chain(
    "resizing",
    (5, 4, 3),
    lambda m: [m.Resizing(7, 9), m.Resizing(4, 3, interpolation="nearest"), m.CenterCrop(2, 3)],
)
for _mode in ("bicubic", "lanczos3", "lanczos5", "bilinear", "nearest"):
    chain(
        f"resizing_{_mode}",
        (6, 5, 2),
        lambda m, o=_mode: [
            m.Resizing(7, 9, interpolation=o),
            m.Resizing(4, 9, interpolation=o, antialias=True),
            m.Resizing(3, 12, interpolation=o, crop_to_aspect_ratio=True),
            m.Resizing(7, 5, interpolation=o, pad_to_aspect_ratio=True, fill_value=0.5),
            m.Permute((3, 1, 2)),
            m.Resizing(3, 8, interpolation=o, data_format="channels_first"),
            m.UpSampling2D((2, 3), interpolation=o, data_format="channels_first"),
        ],
    )
chain("resizing_of_bytes", (6, 5, 2), lambda m: [m.Resizing(4, 7, interpolation="bicubic"), m.Resizing(3, 3)], "uint8")
chain("center_crop_of_less", (6, 5, 2), lambda m: [m.CenterCrop(3, 9), m.CenterCrop(7, 4)])
chain(
    "auto_contrast",
    (6, 5, 3),
    lambda m: [m.AutoContrast(), m.Rescaling([1 / 255, 0.0, 1 / 99]), m.AutoContrast(value_range=(-1, 1))],
)
chain(
    "pipeline",
    (6, 5, 2),
    lambda m: [
        m.Pipeline([m.RandomFlip(), m.Rescaling(0.5), m.Normalization(), m.Resizing(4, 4)]),
        m.Normalization(axis=1),
    ],
)
graph(
    "integer_lookup",
    [(4,), (4,)],
    lambda k, x, t: [
        k.layers.IntegerLookup(vocabulary=[3, 1, 4])(x),
        k.layers.IntegerLookup(vocabulary=[3, 1000000, 4], num_oov_indices=3, mask_token=0)(x),
        k.layers.IntegerLookup(vocabulary=[-1, 3, 4], mask_token=0, output_mode="multi_hot")(x),
        k.layers.IntegerLookup(vocabulary=[3, 4], output_mode="count", max_tokens=7, pad_to_max_tokens=True)(x),
        k.layers.IntegerLookup(vocabulary=[3, 1, 4], output_mode="one_hot", num_oov_indices=2)(t),
        k.layers.IntegerLookup(vocabulary=[30, 10, 40], invert=True, mask_token=0, oov_token=-7)(t),
    ],
    ("int64", "int32"),
)


chain(
    "augmentation",
    (8, 8, 3),
    lambda m: [
        m.RandomFlip(),
        m.RandomRotation(0.2),
        m.RandomZoom(0.1),
        m.RandomContrast(0.1),
        m.RandomBrightness(0.2),
        m.RandomTranslation(0.1, 0.1),
        m.RandomCrop(4, 4),
        m.Conv2D(2, 3),
    ],
)
chain(
    "augmentation_of_colours",
    (8, 8, 3),
    lambda m: [
        m.RandomColorDegeneration(0.5),
        m.RandomColorJitter(),
        m.RandomErasing(),
        m.RandomGaussianBlur(),
        m.RandomGrayscale(),
        m.RandomHue(0.1),
        m.RandomInvert(),
        m.RandomPosterization(4),
        m.RandomSaturation(0.1),
        m.RandomSharpness(0.1),
        m.RandomShear(0.1, 0.1),
        m.Solarization(),
        m.AugMix(),
        m.RandAugment(),
        m.RandomElasticTransform(),
        m.RandomPerspective(),
        m.MixUp(),
        m.CutMix(),
        m.MaxNumBoundingBoxes(3),
        m.Conv2D(2, 3),
    ],
)
for _mode in ("multi_hot", "count", "one_hot"):
    chain(f"category_{_mode}", (4,), lambda m, o=_mode: [m.CategoryEncoding(5, output_mode=o)], "int32")
    chain(f"discretization_{_mode}", (4,), lambda m, o=_mode: [m.Discretization([-0.5, 0.0, 0.7], output_mode=o)])
chain("category_of_one", (1,), lambda m: [m.CategoryEncoding(5, output_mode="one_hot")], "int32")
chain("discretization", (4,), lambda m: [m.Discretization([-0.5, 0.0, 0.7])])
graph(
    "spectrograms",
    [(80, 2), (2, 81)],
    lambda k, x, y: [
        k.layers.STFTSpectrogram(frame_length=16, padding="same")(x),
        k.layers.STFTSpectrogram("magnitude", 12, 5, 20, window="hamming", expand_dims=True)(x),
        k.layers.STFTSpectrogram("psd", 16, 8, periodic=True, scaling="spectrum")(x),
        k.layers.STFTSpectrogram("stft", 16, 8, scaling=None, data_format="channels_first")(y),
        k.layers.STFTSpectrogram("angle", 16, 8, data_format="channels_first", expand_dims=True)(y),
        k.layers.STFTSpectrogram("real", 16, 7)(x),
        k.layers.STFTSpectrogram("imag", 16, 16)(x),
    ],
)
graph(
    "mel_spectrograms",
    [(100,), (2, 90)],
    lambda k, x, y: [
        k.layers.MelSpectrogram(32, 8, num_mel_bins=7, sampling_rate=8000, min_freq=300.0)(x),
        k.layers.MelSpectrogram(32, 12, 20, "hamming", 8000, 5, 500.0, 3000.0, mag_exp=1.0, ref_power=0.1)(y),
        k.layers.MelSpectrogram(32, 16, power_to_db=False, num_mel_bins=6, min_freq=500.0, window=None)(x),
    ],
)
chain(
    "augmentation_of_bytes",
    (6, 5, 3),
    lambda m: [
        m.RandomFlip(),
        m.RandomRotation(0.2),
        m.Resizing(4, 4, "nearest"),
        m.RandomContrast(0.1),
        m.Conv2D(2, 3),
    ],
    "uint8",
)
chain("discretization_of_integers", (4,), lambda m: [m.Discretization([0.5, 2.0, 3.5])], "int32")

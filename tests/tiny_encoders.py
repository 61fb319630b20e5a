"""Encoders small enough to train in a test: two layers, 32 numbers, word pieces of the texts at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from string import ascii_lowercase, digits
from tempfile import TemporaryDirectory

N_DIMS = 32
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def tiny_sentence_encoder(
    folder: Path, texts: Iterable[str], n_tokens: int = 64, n_pieces: int = 400, pooling: str = "mean", seed: int = 0
) -> Path:
    """The folder, now that of a random BERT sentence encoder (a SentenceTransformer) with word pieces of `texts`."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    torch.set_num_threads(1)
    with TemporaryDirectory() as bert:
        save_tiny_bert(Path(bert), texts, n_tokens, n_pieces, seed)
        transformer = Transformer(bert, max_seq_length=n_tokens)
    model = SentenceTransformer(modules=[transformer, Pooling(N_DIMS, pooling), Normalize()], device="cpu")
    model.save(str(folder), create_model_card=False)
    return folder


def save_tiny_bert(folder: Path, texts: Iterable[str], n_tokens: int = 64, n_pieces: int = 400, seed: int = 0) -> Path:
    """The folder, now that of a random BERT and its tokenizer, as transformers saves them."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = BertTokenizerFast(tokenizer_object=_word_pieces(texts, n_pieces), model_max_length=n_tokens)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=N_DIMS,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=max(n_tokens, 128),
    )
    BertModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def minilm_of_few_pieces(texts: Iterable[str]):
    """MiniLM with the pieces of these texts and the letters of the alphabet, and no others."""
    from deixis.features.encoders.minilm import MiniLmEncoder
    from deixis.features.encoders.wordpiece import WordPieces

    encoder = MiniLmEncoder()
    letters = [*ascii_lowercase, *digits]
    used = {number for text in [*texts, " ".join(letters)] for number in encoder.pieces.cut(text)}
    pieces = encoder.pieces.piece_to_number
    endings = {f"##{letter}" for letter in letters}
    encoder.pieces = WordPieces(
        {piece: n for piece, n in pieces.items() if n in used or piece in SPECIAL or piece in endings}
    )
    return encoder


def _word_pieces(texts: Iterable[str], n_pieces: int):
    """The letters of the texts and their most frequent words; a trainer's pieces would differ from run to run."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    counts = Counter(word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text)))
    letters = sorted({letter for word in counts for letter in word})
    words = sorted(counts, key=lambda word: (-counts[word], word))
    pieces = dict.fromkeys([*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *words])
    n_kept = max(n_pieces, len(SPECIAL) + 2 * len(letters))
    vocabulary = {piece: number for number, piece in enumerate(list(pieces)[:n_kept])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = normalizer, splitter, decoders.WordPiece()
    marks = [(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=marks
    )
    return tokenizer

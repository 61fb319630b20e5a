"""Encoders small enough to train in a test: two layers, 32 numbers, word pieces of the texts at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from string import ascii_lowercase, digits
from tempfile import TemporaryDirectory

N_DIMS = 32
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SENTENCE_SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def tiny_sentence_encoder(
    folder: Path, texts: Iterable[str], n_tokens: int = 64, n_pieces: int = 400, pooling: str = "mean", seed: int = 0
) -> Path:
    """The folder, now that of a random BERT sentence encoder (a SentenceTransformer) with word pieces of `texts`."""
    with TemporaryDirectory() as bert:
        save_tiny_bert(Path(bert), texts, n_tokens, n_pieces, seed)
        return _with_pooling(Path(bert), folder, n_tokens, pooling)


def tiny_multilingual_encoder(
    folder: Path, texts: Iterable[str], n_tokens: int = 64, n_pieces: int = 400, pooling: str = "mean", seed: int = 0
) -> Path:
    """The same, built like XLM-R: sentence pieces, `<s>` and `</s>`, no types of tokens, positions that begin at 2."""
    with TemporaryDirectory() as roberta:
        save_tiny_roberta(Path(roberta), texts, n_tokens, n_pieces, seed)
        return _with_pooling(Path(roberta), folder, n_tokens, pooling)


def _with_pooling(transformer: Path, folder: Path, n_tokens: int, pooling: str) -> Path:
    """The folder, now that of the transformer, pooled and scaled to length one."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer

    torch.set_num_threads(1)
    modules = [Transformer(str(transformer), max_seq_length=n_tokens), Pooling(N_DIMS, pooling), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
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


def save_tiny_roberta(
    folder: Path, texts: Iterable[str], n_tokens: int = 64, n_pieces: int = 400, seed: int = 0
) -> Path:
    """The folder, now that of a random XLM-R and its tokenizer, as transformers saves them."""
    import torch
    from transformers import XLMRobertaConfig, XLMRobertaModel, XLMRobertaTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = XLMRobertaTokenizer(vocab=_scored_pieces(texts, n_pieces), model_max_length=n_tokens)
    torch.manual_seed(seed)
    config = XLMRobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=N_DIMS,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=max(n_tokens, 128) + 2,  # as in XLM-R, whose 514 are 512 tokens
        type_vocab_size=1,
    )
    XLMRobertaModel(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def sentence_pieces(texts: Iterable[str], splits_at_spaces: bool = True, n_pieces: int = 400):
    """A tokenizer of sentence pieces: as XLM-R has it, or as others do, where a space before a sign is a piece."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(_scored_pieces(texts, n_pieces), unk_id=SENTENCE_SPECIAL.index("<unk>")))
    tokenizer.normalizer = normalizers.NFKC()
    metaspace = pre_tokenizers.Metaspace()
    splits = [pre_tokenizers.WhitespaceSplit(), metaspace]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splits) if splits_at_spaces else metaspace
    tokenizer.add_special_tokens(SENTENCE_SPECIAL)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def _scored_pieces(texts: Iterable[str], n_pieces: int) -> list[tuple[str, float]]:
    """The letters of the texts, dear, and their most frequent words, cheap, with the sign of the space before them."""
    counts = Counter(f"\u2581{word}" for text in texts for word in text.split())
    letters = sorted({letter for word in counts for letter in word})
    words = [word for word in sorted(counts, key=lambda word: (-counts[word], word)) if len(word) > 1]
    kept = words[: max(0, n_pieces - len(SENTENCE_SPECIAL) - len(letters))]
    scored = [(letter, -10.0) for letter in letters] + [(word, -5.0) for word in kept]
    return [(special, 0.0) for special in SENTENCE_SPECIAL] + scored


def minilm_of_few_pieces(texts: Iterable[str]):
    """MiniLM with the pieces of these texts and the letters of the alphabet, and no others."""
    from deixis.encoders.minilm import MiniLmEncoder
    from deixis.encoders.wordpiece import WordPieces

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

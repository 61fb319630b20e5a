// The signs of spans, which the matcher sets and features read.
#pragma once

#include <cstdint>

namespace deixis {

// How a span is written and what stands around it, a bit each.
enum Sign : uint32_t {
    kName = 1 << 0,            // a name of the list, in whichever case
    kListedCase = 1 << 1,      // the list writes it in this case
    kListedLower = 1 << 2,     // the list writes it in lower case, too
    kListedCapitals = 1 << 3,  // the list writes it in capitals only
    kLowerCase = 1 << 4,
    kTitleCase = 1 << 5,
    kCapitals = 1 << 6,
    kMixedCase = 1 << 7,
    kBeginsSentence = 1 << 8,
    kCapitalsAround = 1 << 9,  // all around it is in capitals: its own say nothing
    kFollowsUpper = 1 << 10,   // the word before has a capital and nothing stands between
    kPrecedesUpper = 1 << 11,
    kInLongerName = 1 << 12,  // a longer name covers it
    kHyphenBefore = 1 << 13,
    kHyphenAfter = 1 << 14,
    kHasNumber = 1 << 15,
    kHasLowerWord = 1 << 16,   // of or de among words with capitals
    kStopWords = 1 << 17,      // nothing but stop words
    kKnownWords = 1 << 18,     // the table of words has all that are no stop words
    kOtherLanguage = 1 << 19,  // the table has few words of the text
    kLearnedName = 1 << 20,    // set by Python: annotated documents have a mention that reads so
    kRecognized = 1 << 21,     // set by Python: a recognizer, or whoever gave it, says that it is a mention
    kShortForm = 1 << 22,      // set by Python: the text defines it as short for something longer
    kMisspelt = 1 << 23,       // a word of it is no word of the list, but one letter away from one
};

}  // namespace deixis

// Log odds to probabilities and back, with the same last bits on every machine that has the same C library.
#include <cmath>

#include "border.hpp"

namespace deixis {
namespace {

template <typename Fn>
ArrayOut<double> of_each(const ArrayIn<double>& values, Fn&& fn) {
    std::vector<double> results(values.shape(0));
    for (size_t i = 0; i < results.size(); ++i) results[i] = fn(values.data()[i]);
    return to_numpy(std::move(results));
}

ArrayOut<double> expit(ArrayIn<double> log_odds) {
    return of_each(log_odds, [](double each) { return 1.0 / (1.0 + std::exp(-each)); });
}

// Near one half the logarithm of the ratio loses digits, so there it is taken of what is missing to one half.
ArrayOut<double> logit(ArrayIn<double> probabilities) {
    return of_each(probabilities, [](double each) {
        if (each < 0.3 || each > 0.65) return std::log(each / (1.0 - each));
        const double away = 2.0 * (each - 0.5);
        return std::log1p(away) - std::log1p(-away);
    });
}

}  // namespace

void bind_log_odds(nb::module_& m) {
    define(m, "expit", &expit, {"log_odds"}, "The probability of each log odds.");
    define(m, "logit", &logit, {"probabilities"}, "The log odds of each probability.");
}

}  // namespace deixis

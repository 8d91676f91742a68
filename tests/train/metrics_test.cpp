#include "gat/train/metrics.hpp"

#include <limits>

#include "catch.hpp"
#include "gat/core/error.hpp"
#include "numbers.hpp"

using namespace gat;
using gat::test::matrix_of;

namespace {

using Classes = std::vector<NodeId>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the predicted class is the lowest of the largest logits", "[train][metrics][unit]") {
  CHECK(argmax_rows(matrix_of({{1, 3, 2}, {5, 5, 5}, {-3, -1, -1}})) == Classes{1, 0, 1});
}

TEST_CASE("classes are scored from one confusion matrix", "[train][metrics][unit]") {
  // truth 0 0 0 1 1 2, predicted 0 0 1 1 2 2
  const Metrics m = classification_metrics(Classes{0, 0, 0, 1, 1, 2}, Classes{0, 0, 1, 1, 2, 2}, 3);
  CHECK(m.confusion == std::vector<std::int64_t>{2, 1, 0, 0, 1, 1, 0, 0, 1});
  CHECK(m.count == 6);
  CHECK(m.accuracy == Approx(4.0 / 6));
  CHECK(m.micro_f1 == Approx(m.accuracy));
  CHECK(m.classes[0].precision == 1);
  CHECK(m.classes[0].recall == Approx(2.0 / 3));
  CHECK(m.classes[0].f1 == Approx(0.8));
  CHECK(m.classes[1].f1 == Approx(0.5));
  CHECK(m.classes[2].f1 == Approx(2.0 / 3));
  CHECK(m.classes[0].support == 3);
  CHECK(m.macro_f1 == Approx((0.8 + 0.5 + 2.0 / 3) / 3));
  CHECK(m.weighted_f1 == Approx((3 * 0.8 + 2 * 0.5 + 2.0 / 3) / 6));
  CHECK(m.num_undefined == 0);
}

TEST_CASE("a class in neither truth nor predictions counts 0, or is left out by name",
          "[train][metrics][unit]") {
  const Metrics m = classification_metrics(Classes{0, 1}, Classes{0, 1}, 3);
  CHECK(m.macro_f1 == Approx(2.0 / 3));
  CHECK(m.macro_f1_present == 1);
  CHECK(m.num_undefined == 1);
}

TEST_CASE("nodes without label are not scored", "[train][metrics][unit]") {
  const Metrics m = classification_metrics(Classes{0, -1, 1}, Classes{0, 1, 0}, 2);
  CHECK(m.count == 2);
  CHECK(m.accuracy == 0.5);
  const Metrics none = classification_metrics(Classes{-1}, Classes{0}, 2);
  CHECK(none.count == 0);
  CHECK(none.accuracy == 0);
  CHECK(none.macro_f1 == 0);
}

TEST_CASE("classes that do not fit are refused", "[train][metrics][unit]") {
  CHECK_THROWS_AS(classification_metrics(Classes{0}, Classes{0, 1}, 2), ShapeError);
  CHECK_THROWS_AS(classification_metrics(Classes{2}, Classes{0}, 2), UsageError);
  CHECK_THROWS_AS(classification_metrics(Classes{0}, Classes{-1}, 2), UsageError);
}

TEST_CASE("labels are predicted where the logit is above 0", "[train][metrics][multi_label][unit]") {
  // Targets from ½ on are positive; a logit of exactly 0 says no.
  const Metrics m =
      multi_label_metrics(matrix_of({{1, 0.5, 0}, {0, 1, 0.4}}), matrix_of({{0.1, -1, 0}, {2, 1, -3}}));
  CHECK(m.count == 2);
  CHECK(m.accuracy == 0);
  CHECK(m.micro_f1 == Approx(4.0 / 6));  // 2 right, 1 too many, 1 missed
  CHECK(m.classes[0].f1 == Approx(2.0 / 3));
  CHECK(m.classes[1].recall == 0.5);
  CHECK(m.num_undefined == 1);
  CHECK(m.score(true) == m.micro_f1);
  CHECK(m.score(false) == m.accuracy);
}

TEST_CASE("unknown targets are left out of every count", "[train][metrics][multi_label][unit]") {
  const Metrics m = multi_label_metrics(matrix_of({{1, kNaN}, {kNaN, kNaN}}), matrix_of({{5, 5}, {5, 5}}));
  CHECK(m.count == 1);
  CHECK(m.accuracy == 1);
  CHECK(m.micro_f1 == 1);
  CHECK(m.classes[1].support == 0);
  CHECK_THROWS_AS(multi_label_metrics(Matrix(1, 2), Matrix(2, 2)), ShapeError);
}

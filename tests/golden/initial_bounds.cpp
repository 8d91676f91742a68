// Kind 18: half widths and standard deviations of initial values.
#include "gat/nn/parameters.hpp"
#include "golden/family.hpp"

namespace golden {

namespace {

constexpr std::string_view kGiven[] = {"in_width", "heads", "head_width"};

struct Bound {
  std::string_view array;
  gat::Initializer initializer;
};

constexpr Bound kBounds[] = {{"bound_weight", gat::Initializer::glorot_joined},
                             {"bound_weight_per_head", gat::Initializer::glorot_per_head},
                             {"bound_att_rows", gat::Initializer::glorot_attention_rows},
                             {"bound_att_fan3d", gat::Initializer::glorot_attention_fan3d},
                             {"bound_att_half", gat::Initializer::glorot_attention_half},
                             {"bound_att_joint", gat::Initializer::glorot_attention_joint},
                             {"std_xavier_normal_relu_weight", gat::Initializer::xavier_normal_relu},
                             {"bound_fan_in", gat::Initializer::uniform_fan_in}};

void run(GoldenCase& c) {
  const std::vector<std::int64_t> in_width = c.integers("in_width"), heads = c.integers("heads"),
                                  head_width = c.integers("head_width");
  for (const Bound& bound : kBounds) {
    std::vector<double> values;
    for (std::size_t k = 0; k < in_width.size(); ++k) {
      values.push_back(gat::initial_scale(bound.initializer, in_width[k], heads.at(k), head_width.at(k)));
    }
    c.compare(bound.array, values, c.shape("in_width"));
  }
}

}  // namespace

const Family kInitialBoundsFamily{18, "bounds of initial values", kGiven, always_supported, run};

}  // namespace golden

/// Small networks of every form of blocks.
#pragma once

#include "gat/nn/network_builder.hpp"
#include "nn/networks.hpp"

namespace gat::test {

inline constexpr BlockForm kForms[] = {BlockForm::plain,     BlockForm::classic,  BlockForm::pre_norm,
                                       BlockForm::post_norm, BlockForm::residual, BlockForm::separate,
                                       BlockForm::gps};

/// Two blocks of width 6 on four features, three outputs, GAT with two heads of three.
inline BlockNetworkOptions block_options(BlockForm form) {
  BlockNetworkOptions options;
  options.num_features = 4;
  options.num_outputs = 3;
  options.hidden = 6;
  options.form = form;
  options.attention = {"gat", {{"num_heads", std::int64_t(2)}, {"head_dim", std::int64_t(3)}}};
  options.global_attention = options.attention;
  return options;
}

}  // namespace gat::test

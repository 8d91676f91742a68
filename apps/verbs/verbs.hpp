/// The functions behind the verbs; each returns the exit code.
#pragma once

#include "verbs/verb_table.hpp"

namespace gat::app {

int run_train(const Call& call);
int run_evaluate(const Call& call);
int run_predict(const Call& call);
int run_attention(const Call& call);
int run_embed(const Call& call);
int run_info(const Call& call);
int run_bench(const Call& call);
int run_recipe(const Call& call);
int run_version(const Call& call);

}  // namespace gat::app

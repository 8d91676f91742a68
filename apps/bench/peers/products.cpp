#include "bench/peers/products.hpp"

#include <cstdlib>
#include <string_view>

#include "bench/loops.hpp"

#if defined(GAT_BENCH_ONEDNN) || defined(GAT_BENCH_OPENBLAS)
#include <dlfcn.h>
#endif
#ifdef GAT_BENCH_ONEDNN
#include <dnnl.h>
#include <omp.h>
#endif
#ifdef GAT_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace gat::app {

void eigen_product_baseline(const ProductCall&);
void eigen_product_avx2(const ProductCall&);
void eigen_product_avx512(const ProductCall&);

namespace {

constexpr const char* kNotBuilt = "not found when this program was built";

ProductPeer eigen() {
  const std::string_view level = best_loops().name;
#ifdef GAT_BENCH_X86
  if (level == "avx512") return {"Eigen", eigen_product_avx512, ""};
  if (level == "avx2") return {"Eigen", eigen_product_avx2, ""};
#endif
  return {"Eigen", eigen_product_baseline, ""};
}

#if defined(GAT_BENCH_ONEDNN) || defined(GAT_BENCH_OPENBLAS)
// A function of a library that stays loaded; null without it.
template <class Function>
Function* loaded(const char* library, const char* name) {
  void* const handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle, name));
}
#endif

#ifdef GAT_BENCH_ONEDNN
decltype(&dnnl_sgemm) dnnl_product = nullptr;

ProductPeer onednn() {
  dnnl_product = loaded<decltype(dnnl_sgemm)>(GAT_BENCH_ONEDNN, "dnnl_sgemm");
  if (dnnl_product == nullptr) return {"oneDNN", nullptr, "cannot be loaded from " GAT_BENCH_ONEDNN};
  return {"oneDNN",
          [](const ProductCall& p) {
            ::omp_set_num_threads(1);  // of teams that this thread starts
            dnnl_product(p.transposed ? 'T' : 'N', 'N', p.rows, p.cols, p.depth, 1, p.a, p.a_step, p.b,
                         p.b_step, 0, p.c, p.c_step);
          },
          ""};
}
#else
ProductPeer onednn() { return {"oneDNN", nullptr, kNotBuilt}; }
#endif

#ifdef GAT_BENCH_OPENBLAS
decltype(&cblas_sgemm) blas_product = nullptr;

ProductPeer openblas() {
  // Versions that do not know the processor take their oldest kernels; a choice made outside stays.
  const std::string_view level = best_loops().name;
  if (level != "baseline") ::setenv("OPENBLAS_CORETYPE", level == "avx512" ? "SKYLAKEX" : "HASWELL", 0);
  blas_product = loaded<decltype(cblas_sgemm)>(GAT_BENCH_OPENBLAS, "cblas_sgemm");
  auto* const set_threads =
      loaded<decltype(openblas_set_num_threads)>(GAT_BENCH_OPENBLAS, "openblas_set_num_threads");
  if (blas_product == nullptr || set_threads == nullptr)
    return {"OpenBLAS", nullptr, "cannot be loaded from " GAT_BENCH_OPENBLAS};
  set_threads(1);
  return {"OpenBLAS",
          [](const ProductCall& p) {
            const auto n = [](std::int64_t number) { return static_cast<blasint>(number); };
            blas_product(CblasRowMajor, p.transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, n(p.rows),
                         n(p.cols), n(p.depth), 1, p.a, n(p.a_step), p.b, n(p.b_step), 0, p.c, n(p.c_step));
          },
          ""};
}
#else
ProductPeer openblas() { return {"OpenBLAS", nullptr, kNotBuilt}; }
#endif

}  // namespace

std::vector<ProductPeer> product_peers() { return {eigen(), onednn(), openblas()}; }

}  // namespace gat::app

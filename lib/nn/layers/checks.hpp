/// Checks of options and inputs that layers share; `layer` names the kind in messages.
#pragma once

#include <string>

#include "gat/nn/layer.hpp"

namespace gat::inline GAT_PRECISION {

/// \throws UsageError unless the value lies in [0, 1)
void check_probability(const char* layer, const char* name, double value);
/// \throws ShapeError naming both shapes
void check_rows(const std::string& layer, const char* what, const FeatureView& rows, Index expected_rows,
                Index expected_cols);
/// The mask has one entry per edge; arrays of log-prior and factor one row per edge and 1 or H columns.
/// \throws ShapeError
void check_edge_terms(const std::string& layer, const GraphView& graph, const EdgeTerms& terms, int heads);
/// Destinations are what the layer was made for. \param own_width  of features of their own; 0 = same nodes
/// \throws UsageError, ShapeError
void check_destinations(const std::string& layer, const GraphView& graph, const Destinations& destination,
                        Index own_width);

}  // namespace gat::inline GAT_PRECISION

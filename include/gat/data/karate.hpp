/// Zachary's karate club, the one data set that is part of the library itself.
#pragma once

#include "gat/data/dataset.hpp"

namespace gat::inline GAT_PRECISION {

/// 34 members (nodes 0..33), 78 friendships stored in both directions (156 edges), identity features,
/// 4 communities with 12, 5, 11 and 6 members. The stored split trains on the first member of each
/// community, has no validation nodes, and scores the other 30.
///
/// Source of the friendships: W. W. Zachary, "An Information Flow Model for Conflict and Fission in
/// Small Groups", Journal of Anthropological Research 33 (1977). The communities are the common four,
/// not the paper's two factions.
Dataset karate_club();

}  // namespace gat::inline GAT_PRECISION

/// The counts of public data sets, found by loading their files with other software.
#pragma once

#include <string>
#include <vector>

#include "gat/core/real.hpp"

/// One row: the graph, then the features, then the classes.
struct PublishedCounts {
  const char* path;
  gat::Index nodes, stored, undirected, loops, duplicates;
  bool symmetric;
  gat::Index isolated, components, largest_component, max_degree;
  double homophily;  ///< rounded to 4 decimals; < 0 = not stated
  gat::Index features, non_zeros, zero_rows;
  std::vector<gat::Index> classes;
};

inline const std::vector<PublishedCounts> kPublishedCounts{
    // clang-format off
    // path, nodes, stored, undirected, loops, duplicates, symmetric, isolated, components, largest one, max degree,
    // homophily, features, non-zeros, zero rows, classes
    {"planetoid/cora", 2708, 10858, 5278, 0, 302, true, 0, 78, 2485, 168, 0.8100,
     1433, 49216, 0, {351, 217, 418, 818, 426, 298, 180}},
    {"planetoid/citeseer", 3327, 9464, 4552, 248, 236, true, 48, 438, 2120, 99, 0.7377,
     3703, 105165, 15, {249, 590, 668, 701, 596, 508}},
    {"planetoid/pubmed", 19717, 88676, 44324, 6, 25, true, 0, 1, 19717, 171, 0.8024,
     500, 988031, 0, {4103, 7739, 7875}},
    {"gnn-benchmark/cora.npz", 2708, 5429, 5278, 0, 0, false, 0, 78, 2485, 168, 0.8100,
     1433, 49216, 0, {298, 418, 818, 426, 217, 180, 351}},
    {"gnn-benchmark/citeseer.npz", 3312, 4715, 4536, 124, 0, false, 48, 438, 2110, 99, 0.7377,
     3703, 105165, 0, {249, 596, 701, 508, 668, 590}},
    {"gnn-benchmark/amazon_electronics_photo.npz", 7650, 143663, 119081, 1, 0, false, 115, 136, 7487, 1434, 0.8272,
     745, 1979909, 0, {369, 1686, 703, 915, 882, 823, 1941, 331}},
    {"gnn-benchmark/amazon_electronics_computers.npz", 13752, 287209, 245861, 0, 0, false, 281, 314, 13381, 2992, 0.7772,
     767, 3675081, 0, {436, 2142, 1414, 542, 5158, 308, 487, 818, 2156, 291}},
    {"gnn-benchmark/ms_academic_cs.npz", 18333, 163788, 81894, 0, 0, true, 0, 1, 18333, 136, 0.8081,
     6805, 1092079, 0, {708, 462, 2050, 429, 1394, 2193, 371, 924, 775, 118, 1444, 2033, 420, 4136, 876}},
    {"gnn-benchmark/ms_academic_phy.npz", 34493, 495924, 247962, 0, 0, true, 0, 1, 34493, 382, 0.9314,
     8415, 1137311, 0, {5750, 5045, 17426, 2753, 3519}},
    {"ppnp/cora_ml.npz", 2995, 8416, 8158, 0, 0, false, 0, 61, 2810, 246, 0.7886,
     2879, 151171, 0, {354, 402, 452, 442, 857, 193, 295}},
    {"graphdata/dblp.npz", 17716, 105734, 52867, 0, 0, true, 0, 589, 16191, 339, 0.8279,
     1639, 92192, 64, {7920, 5645, 1982, 2169}},
    {"graphdata/karate_club.npz", 34, 156, 78, 0, 0, true, 0, 1, 34, 17, 0.7308,
     34, 34, 0, {12, 5, 11, 6}},
    {"heterophilous/actor.npz", 7600, 26659, 26659, 0, 0, false, 0, 1, 7600, 1303, 0.2167,
     932, 40977, 0, {853, 1337, 1630, 1815, 1965}},
    {"heterophilous/chameleon.npz", 2277, 31371, 31371, 0, 0, false, 0, 1, 2277, 732, 0.2299,
     2325, 29157, 233, {456, 460, 453, 521, 387}},
    {"heterophilous/chameleon_directed.npz", 2277, 36101, 31371, 50, 0, false, 0, 1, 2277, 732, 0.2299,
     2325, 29157, 233, {456, 460, 453, 521, 387}},
    {"heterophilous/chameleon_filtered.npz", 890, 8854, 8854, 0, 0, false, 0, 1, 890, 247, 0.2361,
     2325, 9903, 94, {242, 134, 209, 164, 141}},
    {"heterophilous/chameleon_filtered_directed.npz", 890, 13584, 8854, 50, 0, false, 0, 1, 890, 247, 0.2361,
     2325, 9903, 94, {242, 134, 209, 164, 141}},
    {"heterophilous/squirrel.npz", 5201, 198353, 198353, 0, 0, false, 0, 1, 5201, 1903, 0.2221,
     2089, 93477, 165, {1042, 1040, 1039, 1040, 1040}},
    {"heterophilous/squirrel_directed.npz", 5201, 217073, 198353, 140, 0, false, 0, 1, 5201, 1903, 0.2221,
     2089, 93477, 165, {1042, 1040, 1039, 1040, 1040}},
    {"heterophilous/squirrel_filtered.npz", 2223, 46998, 46998, 0, 0, false, 0, 1, 2223, 693, 0.2072,
     2089, 32481, 113, {756, 516, 397, 321, 233}},
    {"heterophilous/squirrel_filtered_directed.npz", 2223, 65718, 46998, 140, 0, false, 0, 1, 2223, 693, 0.2072,
     2089, 32481, 113, {756, 516, 397, 321, 233}},
    {"heterophilous/cornell.npz", 183, 277, 277, 0, 0, false, 0, 1, 183, 94, 0.1227,
     1703, 17240, 0, {38, 16, 30, 82, 17}},
    {"heterophilous/texas.npz", 183, 279, 279, 0, 0, false, 0, 1, 183, 104, 0.0609,
     1703, 15266, 0, {33, 1, 18, 101, 30}},
    {"heterophilous/texas_4_classes.npz", 183, 279, 279, 0, 0, false, 0, 1, 183, 104, 0.0609,
     1703, 15266, 0, {33, 1, 18, 101, 30}},
    {"heterophilous/wisconsin.npz", 251, 450, 450, 0, 0, false, 0, 1, 251, 122, 0.1778,
     1703, 24057, 0, {10, 70, 118, 32, 21}},
    {"heterophilous/minesweeper.npz", 10000, 39402, 39402, 0, 0, false, 0, 1, 10000, 8, 0.6828,
     7, 10000, 0, {8000, 2000}},
    {"heterophilous/tolokers.npz", 11758, 519000, 519000, 0, 0, false, 0, 1, 11758, 2138, 0.5945,
     10, 61101, 0, {9192, 2566}},
    // clang-format on
};

/// The ego networks, whose nodes have several labels.
struct PublishedEgoCounts {
  const char* name;
  gat::Index nodes, stored, undirected, isolated, features, non_zeros;
  gat::Index labels, label_entries, without_label, most_labels;
};

inline const std::vector<PublishedEgoCounts> kPublishedEgoCounts{
    {"fb_0", 347, 5038, 2519, 14, 30, 1527, 24, 325, 61, 2},
    {"fb_107", 1045, 53498, 26749, 11, 11, 3492, 9, 501, 564, 3},
    {"fb_348", 227, 6384, 3192, 3, 21, 1214, 14, 567, 7, 7},
    {"fb_414", 159, 3386, 1693, 9, 16, 760, 7, 178, 20, 3},
    {"fb_686", 170, 3312, 1656, 2, 9, 371, 14, 485, 0, 10},
    {"fb_698", 66, 540, 270, 5, 6, 83, 13, 85, 12, 5},
    {"fb_1684", 792, 28048, 14024, 6, 15, 3177, 17, 777, 23, 3},
    {"fb_1912", 755, 60050, 30025, 8, 29, 3782, 46, 1065, 45, 6},
    {"fb_3437", 547, 9626, 4813, 13, 23, 2259, 32, 192, 450, 5},
    {"fb_3980", 59, 292, 146, 7, 16, 236, 17, 58, 1, 1},
};

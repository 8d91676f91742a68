/// Weights of classes as options spell them: "none", "balanced" or one number per class.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "gat/core/real.hpp"

namespace gat::app {

/// \throws UsageError unless the text is one of the forms. \param balanced  whether that form is allowed
void check_class_weights(const std::string& text, bool balanced);

/// One weight per class; empty for "none". Balanced weights are count / (classes · members), so that
/// every class has the same say; a class without members has weight 1.
/// \param members  how many training nodes each class has
/// \param option  that the text comes from, as messages name it
/// \throws UsageError when the numbers are not as many as the classes
std::vector<Real> class_weights(const std::string& text, std::span<const Index> members, const char* option);

}  // namespace gat::app

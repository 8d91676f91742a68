/// How threads wait for each other.
#pragma once

namespace gat::app {

/// GCC's OpenMP runtime lets threads spin for milliseconds at every barrier. Where other programs keep the
/// processors busy, a spinning thread holds up the one that it waits for, and a training of 1 s takes 40 s.
/// The runtime reads its environment before main(), so this starts the program again with a short spin
/// (GOMP_SPINCOUNT), unless the environment says how threads are to wait. Does nothing where that is
/// impossible. \param words  those of main()
void limit_spinning(char* const* words);

}  // namespace gat::app

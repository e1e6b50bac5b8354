#pragma once

// What ssh calls to have a question answered (its SSH_ASKPASS): a program of ours, which hands the question on to the
// window that has started ssh, and prints the answer. ssh gives such a program the question as its only argument, so
// that it is the environment that tells it what it is for. See Questions.

namespace latchkey::ssh {

/// The variable that names the socket of the window's Questions.
inline constexpr const char *answererVariable = "LATCHKEY_ASKPASS";

/// Whether this process has been started by ssh to have a question answered.
[[nodiscard]] bool isAnswerer();

/// Waits until the question is answered. 0: the answer has been printed; 1: there is none, which ssh takes for no.
[[nodiscard]] int answerQuestion(int argc, char **argv);

} // namespace latchkey::ssh

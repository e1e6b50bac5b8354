#pragma once

// The program that ssh calls to get a question answered (SSH_ASKPASS). It passes the question to the window that has
// started ssh, and prints the answer. ssh gives such a program the question as its only argument, so an environment
// variable tells the program its role. See Questions.

namespace latchkey::ssh {

/// Environment variable with the path of the socket of the window's Questions.
inline constexpr const char *answererVariable = "LATCHKEY_ASKPASS";

/// Returns whether ssh has started this process to get a question answered.
[[nodiscard]] bool isAnswerer();

/// Waits until the question is answered. Returns 0 if the answer was printed; 1 if there is none, which ssh takes for
/// no.
[[nodiscard]] int answerQuestion(int argc, char **argv);

} // namespace latchkey::ssh

#pragma once

// The program that ssh calls for the answer to a question (SSH_ASKPASS). It passes the question to the window that has
// started ssh, and prints the answer. ssh passes the question as the only argument, so an environment variable tells
// the program its role. See Questions.

namespace latchkey::ssh {

/// Environment variable with the path of the socket of the window's Questions.
inline constexpr const char *askpassVariable = "LATCHKEY_ASKPASS";

/// Returns whether ssh has started this process for the answer to a question.
[[nodiscard]] bool isAskpassProcess();

/// Waits until the question is answered. Returns 0 if the answer was printed. Returns 1 without an answer, which ssh
/// interprets as no.
[[nodiscard]] int runAskpass(int argc, char **argv);

} // namespace latchkey::ssh

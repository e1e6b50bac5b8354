#pragma once

// The program that ssh calls for the answer to a question (SSH_ASKPASS). It passes the question to the window that
// has started ssh, and prints the answer. ssh passes the question as the only argument, so an environment variable
// selects the role of the program. See AskpassServer.

namespace latchkey::ssh {

/// Environment variable with the socket path of the window's AskpassServer.
inline constexpr const char *askpassVariable = "LATCHKEY_ASKPASS";

/// Returns whether ssh has started this process for the answer to a question.
[[nodiscard]] bool isAskpassProcess();

/// Waits until the question is answered. Returns 0 if the answer was printed. Returns 1 without an answer, which ssh
/// interprets as no.
[[nodiscard]] int runAskpass(int argc, char **argv);

} // namespace latchkey::ssh

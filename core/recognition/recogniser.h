#pragma once

#include "core/recognition/dialects.h"

#include <functional>

namespace latchkey::recognition {

/// Says of a key which libraries may have written it as a lock, who holds it, and what to read to know more.
///
/// It is a function of what was read: it asks nobody anything, keeps nothing, and says the same of the same. Who reads
/// goes round: recognise, read what the questions say, recognise again, until there are none; a question is only asked
/// if its answer can change something, so for most keys the first time is the last. A value type.
class Recogniser final
{
public:
    explicit Recogniser(Dialects dialects = Dialects::builtIn());

    /// What was recognised by those who have read a value that was left out.
    using Told = std::function<Recognition(const Sighting &sighting)>;
    /// Nothing is recognised of such a value unless set.
    void setTold(Told told) { m_told = std::move(told); }

    [[nodiscard]] const Dialects &dialects() const { return m_dialects; }

    /// How much it pays to read the value of a key of that name. Allocates nothing, and takes some hundred nanoseconds.
    [[nodiscard]] Interest interest(QByteArrayView name) const { return m_dialects.screen().look(name).interest(); }

    [[nodiscard]] Recognition recognise(const Sighting &sighting, const Surroundings &surroundings = {}) const;

private:
    Dialects m_dialects;
    Told m_told;
};

/// `low`, `medium`, `high`, `certain`: for JSON and for the dialects' files.
[[nodiscard]] QString confidenceId(Confidence confidence);

} // namespace latchkey::recognition

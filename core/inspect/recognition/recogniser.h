#pragma once

#include "core/inspect/recognition/dialects.h"

#include <functional>

namespace latchkey::recognition {

/// A recogniser of locks. It determines the libraries that may have written a key, its holder, and what to read next.
///
/// It is a pure function of the data that was read: it sends and stores nothing. The caller loops: recognise, read the
/// requested data, recognise again, until there are no requests. A request is returned only if its reply can change the
/// result, so one pass is enough for most keys. A value type.
class Recogniser final
{
public:
    explicit Recogniser(Dialects dialects = Dialects::builtIn());

    /// A function that returns the recorded recognition of a value that a recording leaves out.
    using RecordedRecognition = std::function<Recognition(const KeySample &sample)>;
    /// Sets the function for values that a recording leaves out; without it these values are not recognised.
    void setRecordedRecognition(RecordedRecognition recorded) { m_recordedRecognition = std::move(recorded); }

    [[nodiscard]] const Dialects &dialects() const { return m_dialects; }

    /// Returns the benefit of reading the value of a key with this name. Allocates nothing, and takes a few hundred
    /// nanoseconds.
    [[nodiscard]] LockLikelihood lockLikelihood(QByteArrayView name) const
    {
        return m_dialects.nameClassifier().classify(name).lockLikelihood();
    }

    [[nodiscard]] Recognition recognise(const KeySample &sample, const ServerContext &serverContext = {}) const;

private:
    Dialects m_dialects;
    RecordedRecognition m_recordedRecognition;
};

/// Returns `low`, `medium`, `high` or `certain`, for JSON and dialect files.
[[nodiscard]] QString confidenceId(Confidence confidence);

} // namespace latchkey::recognition

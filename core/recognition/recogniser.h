#pragma once

#include "core/keys/rawvalue.h"

#include <QStringList>

#include <optional>

namespace latchkey::recognition {

/// How sure a recognition is. A shape that several libraries write is never certain.
enum class Confidence : quint8 { Low, Medium, High, Certain };

/// Which kind of lock a key is, who holds it, and why we think so.
struct Recognition
{
    QString id; ///< `textbook.constant`, `classic.setnx-timestamp`, `lock.token`.
    Confidence confidence = Confidence::Low;
    QStringList evidence;
    std::optional<QByteArray> holder; ///< What the value says about the holder; nothing where it is not recorded.
};

/// Whether a word for a lock is a part of its own in the key: `lock:orders`, `orders.lck`, `orderMutex`; not `block:7`.
/// Only such keys can be recognised, so others need not be read.
[[nodiscard]] bool hasLockWord(QByteArrayView key);

/// Recognises by name and value together: a token alone could as well be a session's. Nothing where there is no second
/// piece of evidence.
[[nodiscard]] std::optional<Recognition> recognise(const base::Key &key, const keys::RawValue &value);

[[nodiscard]] QString confidenceId(Confidence confidence);

} // namespace latchkey::recognition

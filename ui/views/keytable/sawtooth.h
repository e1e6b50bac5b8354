#pragma once

#include <QByteArrayView>
#include <QColor>
#include <QHash>
#include <QPixmap>

#include <chrono>
#include <functional>
#include <optional>

class QPainter;
class QRect;

namespace latchkey::ui::keytable {

/// The renewals of a lease: full length, and intervals between renewals. A value type.
struct Renewals
{
    int count = 0;                      ///< Number of renewals seen, at least two.
    std::chrono::milliseconds lease {}; ///< Length of the lease after a renewal.
    std::chrono::milliseconds shortest {};
    std::chrono::milliseconds longest {}; ///< Longest interval between two renewals.

    /// Returns the part of the lease that has passed at a renewal, from 0 to 1.
    [[nodiscard]] double depth() const;

    friend bool operator==(const Renewals &, const Renewals &) = default;
};

/// Function that returns the renewals of a key; absent for a key without regular renewals.
using RenewalSource = std::function<std::optional<Renewals>(QByteArrayView key)>;

/// Returns the text for a tool tip: "renewed 12 times, every 3.300 s to 3.400 s".
[[nodiscard]] QString renewalsText(const Renewals &renewals);

/// A painter of the small saw-tooth of a renewed lease. It caches its pictures, because a table paints them with every
/// frame of its countdown. Owned by the delegate that paints.
class SawTooth final
{
public:
    /// Paints as many whole teeth as fit, at most five; paints nothing if fewer than two fit. `depth`: see
    /// Renewals::depth().
    void paint(QPainter &painter, const QRect &rect, double depth, const QColor &colour);

private:
    struct Kind
    {
        QRgb colour = 0;
        int depth = 0; ///< Depth in sixteenths.
        QSize size;
        qreal pixelRatio = 1;

        friend bool operator==(const Kind &, const Kind &) = default;
        friend size_t qHash(const Kind &kind, size_t seed = 0)
        {
            return qHashMulti(seed, kind.colour, kind.depth, kind.size.width(), kind.size.height(), kind.pixelRatio);
        }
    };

    QHash<Kind, QPixmap> m_pictures;
};

} // namespace latchkey::ui::keytable

Q_DECLARE_METATYPE(latchkey::ui::keytable::Renewals)

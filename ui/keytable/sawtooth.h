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

/// How a lease is renewed: back to its full length, and how far it gets in between. A value type.
struct Renewals
{
    int count = 0;                      ///< Seen so far; at least two, else there is no rhythm.
    std::chrono::milliseconds lease {}; ///< What a renewal brings it back to.
    std::chrono::milliseconds shortest {};
    std::chrono::milliseconds longest {}; ///< From one to the next.

    /// The part of the lease that is over when it is renewed, from 0 to 1.
    [[nodiscard]] double depth() const;

    friend bool operator==(const Renewals &, const Renewals &) = default;
};

/// What is known of a key's renewals; absent for one that has no rhythm.
using RenewalSource = std::function<std::optional<Renewals>(QByteArrayView key)>;

/// In words, for a tool tip: "renewed 12 times, every 3.300 s to 3.400 s".
[[nodiscard]] QString renewalsText(const Renewals &renewals);

/// Paints the saw-tooth of a renewed lease, small, from pictures that are drawn once: a table paints it with every
/// frame of its countdown.
/// Owned by the delegate that paints.
class SawTooth final
{
public:
    /// As wide as whole teeth fit; nothing where not two do.
    void paint(QPainter &painter, const QRect &rect, double depth, const QColor &colour);

private:
    struct Kind
    {
        QRgb colour = 0;
        int depth = 0; ///< In sixteenths.
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

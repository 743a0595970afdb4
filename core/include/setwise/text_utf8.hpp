// Code points as bytes. The order of the bytes of two terms is the order of their code points.
#pragma once

#include <cstdint>
#include <string_view>

namespace setwise {

constexpr int kMaxUtf8Bytes = 4;

// Writes one code point and returns the end of what was written. Single surrogates get three bytes like their
// neighbors.
inline char* put_utf8(std::uint32_t point, char* out) {
    if (point < 0x80) {
        *out++ = static_cast<char>(point);
    } else if (point < 0x800) {
        *out++ = static_cast<char>(0xC0 | point >> 6);
        *out++ = static_cast<char>(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        *out++ = static_cast<char>(0xE0 | point >> 12);
        *out++ = static_cast<char>(0x80 | (point >> 6 & 0x3F));
        *out++ = static_cast<char>(0x80 | (point & 0x3F));
    } else {
        *out++ = static_cast<char>(0xF0 | point >> 18);
        *out++ = static_cast<char>(0x80 | (point >> 12 & 0x3F));
        *out++ = static_cast<char>(0x80 | (point >> 6 & 0x3F));
        *out++ = static_cast<char>(0x80 | (point & 0x3F));
    }
    return out;
}

// The number of code points; -1 where the bytes are not what `put_utf8` writes.
inline std::int64_t count_utf8(std::string_view bytes) {
    std::int64_t n_points = 0;
    const auto* p = reinterpret_cast<const unsigned char*>(bytes.data());
    const auto* const end = p + bytes.size();
    const auto continues = [](unsigned char byte) { return (byte & 0xC0) == 0x80; };
    while (p < end) {
        ++n_points;
        if (*p < 0x80) {
            ++p;
        } else if (*p >= 0xC2 && *p < 0xE0) {
            if (end - p < 2 || !continues(p[1])) return -1;
            p += 2;
        } else if (*p >= 0xE0 && *p < 0xF0) {
            if (end - p < 3 || !continues(p[1]) || !continues(p[2]) || (*p == 0xE0 && p[1] < 0xA0)) return -1;
            p += 3;
        } else if (*p >= 0xF0 && *p < 0xF5) {
            if (end - p < 4 || !continues(p[1]) || !continues(p[2]) || !continues(p[3])) return -1;
            if ((*p == 0xF0 && p[1] < 0x90) || (*p == 0xF4 && p[1] >= 0x90)) return -1;
            p += 4;
        } else {
            return -1;
        }
    }
    return n_points;
}

}  // namespace setwise

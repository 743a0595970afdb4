// A test harness in one header. A test file includes it once, and is a program:
//
//     #include "test_main.hpp"
//     TEST(two_and_two) { CHECK(2 + 2 == 4); }
//     TEST(a_third) { CHECK_NEAR(1.0 / 3.0, 0.3333, 1e-4); }
//     TEST(refuses_nonsense) { CHECK_THROWS(parse("nonsense"), std::invalid_argument); }
//
// Every test runs, every failed check is printed with its line, and the program fails if any check did.
#pragma once

#include <cmath>
#include <exception>
#include <iostream>
#include <vector>

namespace setwise_test {

struct Test {
    const char* name;
    void (*body)();
};

inline std::vector<Test> tests;
inline int failed_checks = 0;

struct Registration {
    Registration(const char* name, void (*body)()) { tests.push_back({name, body}); }
};

inline void fail(const char* file, int line) {
    ++failed_checks;
    std::cerr << file << ":" << line << ": ";
}

inline void check(bool holds, const char* text, const char* file, int line) {
    if (holds) return;
    fail(file, line);
    std::cerr << "does not hold: " << text << "\n";
}

// Written so that a NaN on either side fails.
inline void check_near(double left, double right, double tolerance, const char* text, const char* file, int line) {
    if (left == right || std::abs(left - right) <= tolerance) return;
    fail(file, line);
    std::cerr << text << ": " << left << " and " << right << " differ by more than " << tolerance << "\n";
}

inline int run_all() {
    for (const Test& test : tests) {
        const int before = failed_checks;
        try {
            test.body();
        } catch (const std::exception& error) {
            ++failed_checks;
            std::cerr << test.name << " threw: " << error.what() << "\n";
        }
        std::cout << (failed_checks == before ? "ok      " : "FAILED  ") << test.name << "\n";
    }
    std::cout << tests.size() << " tests, " << failed_checks << " failed checks\n";
    return failed_checks == 0 && !tests.empty() ? 0 : 1;
}

}  // namespace setwise_test

#define TEST(name)                                                        \
    static void name();                                                   \
    static const setwise_test::Registration register_##name(#name, name); \
    static void name()

#define CHECK(condition) setwise_test::check((condition), #condition, __FILE__, __LINE__)

#define CHECK_NEAR(left, right, tolerance) \
    setwise_test::check_near((left), (right), (tolerance), #left " ~ " #right, __FILE__, __LINE__)

#define CHECK_THROWS(expression, exception_type)                                                 \
    do {                                                                                         \
        bool thrown = false;                                                                     \
        try {                                                                                    \
            (void)(expression);                                                                  \
        } catch (const exception_type&) {                                                        \
            thrown = true;                                                                       \
        }                                                                                        \
        setwise_test::check(thrown, #expression " throws " #exception_type, __FILE__, __LINE__); \
    } while (false)

int main() {
    return setwise_test::run_all();
}

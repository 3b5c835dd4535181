/* golden.c (glue): golden FILE... compares the plans of the hosts in these files with what the files expect;
 * golden --print FILE prints what is planned there. Status: 0 as expected, 1 otherwise, 2 for a file that is wrong. */
#include "golden.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 110, LINES_MAX = 400 };

/* One line, wrapped: what is indented belongs to the line before. */
static void print_line(const char *text) {
    size_t column = 0;
    while (*text) {
        size_t size = strcspn(text, " ");
        if (column && column + size > WIDTH) {
            fputs("\n   ", stdout);
            column = 4;
        }
        printf("%s%.*s", column ? " " : "", (int)size, text);
        column += size + 1;
        text += size + strspn(text + size, " ");
    }
    fputs("\n", stdout);
}

size_t golden_compare(const line_list *expected, const line_list *got) {
    static unsigned short common[LINES_MAX + 1]
                                [LINES_MAX + 1]; /* lines that the ends from [i] and [j] share, in order */
    size_t many = expected->count, much = got->count, differences = 0;
    if (many > LINES_MAX || much > LINES_MAX) {
        puts("too many lines");
        return 1;
    }
    memset(common, 0, sizeof common);
    for (size_t i = many; i-- > 0;)
        for (size_t j = much; j-- > 0;)
            common[i][j] = strcmp(expected->at[i], got->at[j]) == 0 ? (unsigned short)(common[i + 1][j + 1] + 1)
                           : common[i + 1][j] >= common[i][j + 1]   ? common[i + 1][j]
                                                                    : common[i][j + 1];
    for (size_t i = 0, j = 0; i < many || j < much;) {
        if (i < many && j < much && strcmp(expected->at[i], got->at[j]) == 0) {
            i++, j++;
            continue;
        }
        bool gone = j == much || (i < many && common[i + 1][j] >= common[i][j + 1]);
        printf("  %c %s\n", gone ? '-' : '+', gone ? expected->at[i++] : got->at[j++]);
        differences++;
    }
    return differences;
}

/* One file: a status as above. */
static int run(const char *file, bool print) {
    struct golden golden = {0};
    struct error err = {0};
    line_list lines = {0};
    int status = 2;
    if (golden_read(&golden, file, &err) || golden_print(&golden, &lines)) {
        fprintf(stderr, "%s\n", *err.text ? err.text : "out of memory");
    } else if (print) {
        for (size_t i = 0; i < lines.count; i++)
            print_line(lines.at[i]);
        status = 0;
    } else {
        printf("%s\n", file);
        status = golden_compare(&golden.expected, &lines) ? 1 : 0;
    }
    arena_free(&golden.arena);
    return status;
}

int main(int count, char **arguments) {
    bool print = count > 1 && strcmp(arguments[1], "--print") == 0;
    int worst = count > 1 + print ? 0 : 2;
    if (worst)
        fputs("usage: golden [--print] FILE...\n", stderr);
    for (int i = 1 + print; i < count; i++) {
        int status = run(arguments[i], print);
        worst = status > worst ? status : worst;
    }
    return worst;
}

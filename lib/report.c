/* report.c (pure): lines of --report, see pinfold(1). */
#include "library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value after `key` and a space, or NULL. */
static char *value_of(char *line, const char *key) {
    size_t size = strlen(key);
    return strncmp(line, key, size) == 0 && line[size] == ' ' ? line + size + 1 : NULL;
}

/* 0 to 255 and nothing else; -1. */
static int status_of(const char *value) {
    size_t digits = strspn(value, "0123456789");
    int status = digits && digits <= 3 && !value[digits] ? atoi(value) : -1;
    return status <= 255 ? status : -1;
}

void pinfold_report_parse(char *text, char *messages, struct pinfold_report *report) {
    char *next;
    bool first = true;
    *report = (struct pinfold_report){.outcome = "", .confined = "", .error = "", .messages = messages, .exit = -1};
    for (char *line = text; report->exit < 0 && (next = strchr(line, '\n')); line = next) {
        char *value;
        *next++ = '\0';
        if (first && strcmp(line, "pinfold-report 1") != 0)
            break;
        first = false;
        if ((value = value_of(line, "outcome")))
            report->outcome = value;
        else if ((value = value_of(line, "confined")))
            report->confined = value;
        else if ((value = value_of(line, "error")))
            report->error = value;
        else if ((value = value_of(line, "exit")))
            report->exit = status_of(value);
        else if ((value = value_of(line, "message"))) {
            size_t size = strlen(value);
            memcpy(messages, value, size);
            messages[size] = '\n';
            messages += size + 1;
        }
    }
    *messages = '\0';
    if (report->exit < 0)
        *report = (struct pinfold_report){.outcome = "", .confined = "", .error = "", .messages = "", .exit = -1};
}

char *pinfold_report_named(const char *error, int number, const char *name) {
    char label[24];
    snprintf(label, sizeof label, "fd:%d:", number);
    const char *found = number >= 0 && name ? strstr(error, label) : NULL;
    if (!found)
        return strdup(error);
    size_t size = strlen(error) + strlen(name) + 2;
    char *text = malloc(size);
    if (text)
        snprintf(text, size, "%.*s%s:%s", (int)(found - error), error, name, found + strlen(label));
    return text;
}

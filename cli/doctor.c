/* doctor.c (glue): pinfold doctor. */
#include "cli.h"

#include "box/doctor.h"

static int doctor_json(const struct diagnosis *diagnosis) {
    json_t *root = diagnosis_json(diagnosis);
    int failed = print_json(root);
    json_decref(root);
    return failed;
}

int command_doctor(int argc, char **argv, char *const *caller) {
    struct policy flags = {0};
    struct options options = {.policy = &flags};
    struct diagnosis diagnosis;
    struct error err = {0};
    struct box *box = box_new(&err);
    if (!box || options_parse(&box->arena, DOCTOR, argc, argv, &options, &err))
        return print_error(&err);
    if (options.help)
        return print_help(DOCTOR);
    if (flags.command[0]) {
        error_set(&err, EXIT_USAGE, "doctor takes no command: it runs none");
        return print_error(&err);
    }
    if (doctor_examine(box, &flags, caller, &diagnosis, &err))
        return print_error(&err);
    if (options.json ? doctor_json(&diagnosis) : diagnosis_text(&diagnosis, stdout)) {
        error_set(&err, EXIT_USAGE, "what was found could not be written to standard output");
        return print_error(&err);
    }
    return diagnosis.status;
}

/* true.c: the smallest command, so that what is timed is the start of its box. */
int main(void) {
    return 0;
}

/* The smallest program: what is measured around it is the cost of starting and ending it. */
int main(void) { return 0; }

// Computes until it is terminated: work beside that of the stack.
for (;;) Math.sqrt(Math.random());

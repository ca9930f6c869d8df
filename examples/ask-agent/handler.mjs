// A module for `a2a-sdl serve --handler`: it asks its owner once, and goes on over a restart where it was, with the same
// answer. What was answered before a checkpoint is not given to a later attempt, so the answer is kept in it.

export async function* onTask(_task, ctx) {
  const { page: first = 0, colour = await ctx.ask('which colour?') } = ctx.restored ?? {};
  for (let page = first; page < 10; page += 1) {
    ctx.signal.throwIfAborted(); // canceled, out of time, or the daemon stops
    yield ctx.artifact({ name: 'pages', text: `page ${page} in ${colour}\n`, append: true });
    await ctx.checkpoint({ page: page + 1, colour }); // the next attempt begins here, with this as ctx.restored
  }
}

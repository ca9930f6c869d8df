// Owns the code blocks of a document: their language, what stands behind it, and their lines.

export interface Block {
  readonly language: string;
  /** Words behind the language: the name of a file, or `home=NAME` and `needs=NAME`. */
  readonly words: readonly string[];
  readonly text: string;
  readonly line: number;
}

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const found of markdown.matchAll(/^```(\S+)([^\n]*)\n([\s\S]*?)^```$/gm)) {
    const [, language, words, text] = found;
    blocks.push({
      language: language!,
      words: words!.trim().split(/\s+/).filter(Boolean),
      text: text!,
      line: markdown.slice(0, found.index).split('\n').length,
    });
  }
  return blocks;
}

/** What follows `name=` among the words of a block. */
export function settingOf({ words }: Block, name: string): string | undefined {
  return words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

export interface ShellCommand {
  readonly words: string;
  /** What its comment says it ends with, such as `# exit 3`. */
  readonly exit: number;
}

/** The commands of a block of shell: comments and blank lines left out, continued lines joined. */
export function commandsOf({ text }: Block): ShellCommand[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => ({
      words: line.replace(/(^|\s)#.*$/, '').trim(),
      exit: Number(/# exit (\d+)/.exec(line)?.[1] ?? 0),
    }))
    .filter(({ words }) => words !== '');
}

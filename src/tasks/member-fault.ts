// Owns what is thrown for a member of a message or a part that cannot be: named by its path, with what was expected.
// SPEC.md section 8 (#parts).

/** Wrong use by a programmer; of what came from outside, a face tells its caller both. Neither holds a value. */
export class MemberFault extends TypeError {
  /** Such as `message.parts[0].url`. */
  readonly member: string;
  readonly expected: string;

  constructor(member: string, expected: string) {
    super(`"${member}" expected ${expected}`);
    this.member = member;
    this.expected = expected;
  }
}

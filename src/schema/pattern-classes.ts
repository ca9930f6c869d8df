// Owns the character sets a pattern can name: white space, ASCII classes, Unicode properties. SPEC.md section 5.2 (#patterns).

/** A set of code points in the engine's notation, as it stands between square brackets. */
export interface CharacterSet {
  readonly text: string;
  /** Upper bound of the ranges the engine makes of it. */
  readonly ranges: number;
}

const LAST_CODE_POINT = 0x10ffff;
/** The largest property of Unicode 17 has 761 ranges. */
const PROPERTY_RANGES = 800;

type Range = readonly [first: number, last: number];

/** ECMA-262 WhiteSpace and LineTerminator: what `\s` means. */
const WHITE_SPACE: readonly Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const LINE_TERMINATORS: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

/** A code point in the engine's notation, inside and outside of brackets. */
export function codePointText(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}

export function rangeSet(first: number, last: number): CharacterSet {
  const text = codePointText(first);
  return { text: first === last ? text : `${text}-${codePointText(last)}`, ranges: 1 };
}

function setOf(ranges: readonly Range[]): CharacterSet {
  const text = ranges.map(([first, last]) => rangeSet(first, last).text).join('');
  return { text, ranges: ranges.length };
}

/** All code points outside of ascending ranges. */
function setOutside(ranges: readonly Range[]): CharacterSet {
  const gaps: Range[] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    gaps.push([next, first - 1]);
    next = last + 1;
  }
  gaps.push([next, LAST_CODE_POINT]);
  return setOf(gaps);
}

export const EVERYTHING: CharacterSet = rangeSet(0, LAST_CODE_POINT);
/** What `.` means without the `s` flag. */
export const NOT_LINE_TERMINATOR: CharacterSet = setOutside(LINE_TERMINATORS);

/** The sets behind `\d` and its kin. The engine's own `\d` and `\w` are ASCII, as ECMA-262 wants; its `\s` is not enough. */
export const CLASS_ESCAPES: ReadonlyMap<string, CharacterSet> = new Map([
  ['d', { text: '\\d', ranges: 1 }],
  ['D', { text: '\\D', ranges: 2 }],
  ['w', { text: '\\w', ranges: 4 }],
  ['W', { text: '\\W', ranges: 5 }],
  ['s', setOf(WHITE_SPACE)],
  ['S', setOutside(WHITE_SPACE)],
]);

// Each line names one table of the engine, then the other names that ECMA-262 gives it.
const CATEGORIES = tableNames(`
  C Other,Cc Control cntrl,Cf Format,Cn Unassigned,Co Private_Use,Cs Surrogate,L Letter,LC Cased_Letter,
  Ll Lowercase_Letter,Lm Modifier_Letter,Lo Other_Letter,Lt Titlecase_Letter,Lu Uppercase_Letter,
  M Mark Combining_Mark,Mc Spacing_Mark,Me Enclosing_Mark,Mn Nonspacing_Mark,N Number,
  Nd Decimal_Number digit,Nl Letter_Number,No Other_Number,P Punctuation punct,Pc Connector_Punctuation,
  Pd Dash_Punctuation,Pe Close_Punctuation,Pf Final_Punctuation,Pi Initial_Punctuation,
  Po Other_Punctuation,Ps Open_Punctuation,S Symbol,Sc Currency_Symbol,Sk Modifier_Symbol,Sm Math_Symbol,
  So Other_Symbol,Z Separator,Zl Line_Separator,Zp Paragraph_Separator,Zs Space_Separator`);

const BINARY = tableNames(`
  Alphabetic Alpha,ASCII_Hex_Digit AHex,Any,Assigned,Dash,Emoji,Emoji_Component EComp,
  Emoji_Modifier EMod,Emoji_Modifier_Base EBase,Emoji_Presentation EPres,Extended_Pictographic ExtPict,
  Hex_Digit Hex,Lowercase Lower,Math,Quotation_Mark QMark,Terminal_Punctuation Term,Uppercase Upper,
  White_Space space`).set('ASCII', 'Ascii');

const SCRIPTS = tableNames(`
  Adlam Adlm,Ahom,Anatolian_Hieroglyphs Hluw,Arabic Arab,Armenian Armn,Avestan Avst,Balinese Bali,
  Bamum Bamu,Bassa_Vah Bass,Batak Batk,Bengali Beng,Beria_Erfe Berf,Bhaiksuki Bhks,Bopomofo Bopo,
  Brahmi Brah,Braille Brai,Buginese Bugi,Buhid Buhd,Canadian_Aboriginal Cans,Carian Cari,
  Caucasian_Albanian Aghb,Chakma Cakm,Cham,Cherokee Cher,Chorasmian Chrs,Common Zyyy,Coptic Copt Qaac,
  Cuneiform Xsux,Cypriot Cprt,Cypro_Minoan Cpmn,Cyrillic Cyrl,Deseret Dsrt,Devanagari Deva,
  Dives_Akuru Diak,Dogra Dogr,Duployan Dupl,Egyptian_Hieroglyphs Egyp,Elbasan Elba,Elymaic Elym,
  Ethiopic Ethi,Garay Gara,Georgian Geor,Glagolitic Glag,Gothic Goth,Grantha Gran,Greek Grek,
  Gujarati Gujr,Gunjala_Gondi Gong,Gurmukhi Guru,Gurung_Khema Gukh,Han Hani,Hangul Hang,
  Hanifi_Rohingya Rohg,Hanunoo Hano,Hatran Hatr,Hebrew Hebr,Hiragana Hira,Imperial_Aramaic Armi,
  Inherited Zinh Qaai,Inscriptional_Pahlavi Phli,Inscriptional_Parthian Prti,Javanese Java,Kaithi Kthi,
  Kannada Knda,Katakana Kana,Kawi,Kayah_Li Kali,Kharoshthi Khar,Khitan_Small_Script Kits,Khmer Khmr,
  Khojki Khoj,Khudawadi Sind,Kirat_Rai Krai,Lao Laoo,Latin Latn,Lepcha Lepc,Limbu Limb,Linear_A Lina,
  Linear_B Linb,Lisu,Lycian Lyci,Lydian Lydi,Mahajani Mahj,Makasar Maka,Malayalam Mlym,Mandaic Mand,
  Manichaean Mani,Marchen Marc,Masaram_Gondi Gonm,Medefaidrin Medf,Meetei_Mayek Mtei,
  Mende_Kikakui Mend,Meroitic_Cursive Merc,Meroitic_Hieroglyphs Mero,Miao Plrd,Modi,Mongolian Mong,
  Mro Mroo,Multani Mult,Myanmar Mymr,Nabataean Nbat,Nag_Mundari Nagm,Nandinagari Nand,New_Tai_Lue Talu,
  Newa,Nko Nkoo,Nushu Nshu,Nyiakeng_Puachue_Hmong Hmnp,Ogham Ogam,Ol_Chiki Olck,Ol_Onal Onao,
  Old_Hungarian Hung,Old_Italic Ital,Old_North_Arabian Narb,Old_Permic Perm,Old_Persian Xpeo,
  Old_Sogdian Sogo,Old_South_Arabian Sarb,Old_Turkic Orkh,Old_Uyghur Ougr,Oriya Orya,Osage Osge,
  Osmanya Osma,Pahawh_Hmong Hmng,Palmyrene Palm,Pau_Cin_Hau Pauc,Phags_Pa Phag,Phoenician Phnx,
  Psalter_Pahlavi Phlp,Rejang Rjng,Runic Runr,Samaritan Samr,Saurashtra Saur,Sharada Shrd,Shavian Shaw,
  Siddham Sidd,Sidetic Sidt,SignWriting Sgnw,Sinhala Sinh,Sogdian Sogd,Sora_Sompeng Sora,Soyombo Soyo,
  Sundanese Sund,Sunuwar Sunu,Syloti_Nagri Sylo,Syriac Syrc,Tagalog Tglg,Tagbanwa Tagb,Tai_Le Tale,
  Tai_Tham Lana,Tai_Viet Tavt,Tai_Yo Tayo,Takri Takr,Tamil Taml,Tangsa Tnsa,Tangut Tang,Telugu Telu,
  Thaana Thaa,Thai,Tibetan Tibt,Tifinagh Tfng,Tirhuta Tirh,Todhri Todr,Tolong_Siki Tols,Toto,
  Tulu_Tigalari Tutg,Ugaritic Ugar,Unknown Zzzz,Vai Vaii,Vithkuqi Vith,Wancho Wcho,Warang_Citi Wara,
  Yezidi Yezi,Yi Yiii,Zanabazar_Square Zanb`);

/** Every accepted name of a list → the engine's name of the table. */
function tableNames(list: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const line of list.split(',')) {
    const [table = '', ...aliases] = line.trim().split(' ');
    for (const name of [table, ...aliases]) names.set(name, table);
  }
  return names;
}

/** The set behind the inside of `\p{…}` or `\P{…}`; `undefined` when the engine has no table of that name. */
export function propertySet(expression: string, negated: boolean): CharacterSet | undefined {
  const table = propertyTable(expression);
  if (table === undefined) return undefined;
  return { text: `\\${negated ? 'P' : 'p'}{${table}}`, ranges: PROPERTY_RANGES };
}

function propertyTable(expression: string): string | undefined {
  const [name = '', value, ...rest] = expression.split('=');
  if (value === undefined) return CATEGORIES.get(name) ?? BINARY.get(name);
  if (rest.length > 0) return undefined;
  if (name === 'General_Category' || name === 'gc') return CATEGORIES.get(value);
  if (name === 'Script' || name === 'sc') return SCRIPTS.get(value);
  return undefined;
}

import type { TextSink } from '../context.ts'

/** Colors for a terminal; the text unchanged if it has none or the user wants none. */
export type Style = Record<'bold' | 'dim' | 'good' | 'bad' | 'accent' | 'warning', Paint>

type Paint = (text: string) => string

const plain: Paint = (text) => text

// Styles by their SGR numbers.
const painted = (code: number): Paint => {
  return (text) => `\x1b[${code}m${text}\x1b[0m`
}

const coloured: Style = {
  bold: painted(1),
  dim: painted(2),
  good: painted(32),
  bad: painted(31),
  accent: painted(36),
  warning: painted(33),
}

export const unstyled: Style = {
  bold: plain,
  dim: plain,
  good: plain,
  bad: plain,
  accent: plain,
  warning: plain,
}

export function styleOf({ hasColors }: Pick<TextSink, 'hasColors'>): Style {
  return hasColors ? coloured : unstyled
}

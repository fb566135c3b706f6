export type BenchRow = { metric: string; value: string; goal?: string }
export type BenchTable = { name: string; rows: BenchRow[] }

/** The bench's results as a Markdown table. */
export function tableText({ name, rows }: BenchTable): string {
  const lines = rows.map(({ metric, value, goal = '' }) => `| ${metric} | ${value} | ${goal} |`)
  return [`### ${name}`, '', '| | measured | goal |', '|---|---|---|', ...lines, ''].join('\n')
}

export function countText(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

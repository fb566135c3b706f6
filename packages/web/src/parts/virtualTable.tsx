import { Component, type ComponentChildren, type RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { navigate } from '../lib/route.ts'

export type Column<row> = {
  name: string
  label: string
  /** What the head says on hover. */
  hint?: string
  /** Text stands to the left, numbers to the right. */
  isText?: boolean
  /** 1: also on a phone; 2: from a tablet on; 3: where there is room. @default 1 */
  rank?: 1 | 2 | 3
  width: string
  /** Content of the cell. @default the index of the row in the list */
  cell?: (row: row) => ComponentChildren
}

type VirtualTableProps<row> = {
  label: string
  columns: readonly Column<row>[]
  /** What changes of a row makes it another object: one that is the same is not rendered again. */
  rows: readonly row[]
  /**
   * A row's own name. Where it is a number, rows are counted by it without a gap, and the element
   * of one that leaves what is seen goes to one that comes in.
   */
  rowKey(row: row): string | number
  rowHref?: (row: row) => string
  rowClass?: (row: row) => string
  rowHeight?: number
  sort?: { name: string; isDescending: boolean } | undefined
  onSort?: ((name: string) => void) | undefined
  /** Called when the last of the rows come into sight. */
  onEnd?: (() => void) | undefined
  /** Said where there are no rows. */
  empty: string
}

const overscan = 6

// Effects are in functions of their own: one of a rendering of before holds all that any function
// of that rendering does, and so the rows of then.

/** What is seen of an element that scrolls. */
function useView(scroller: RefObject<HTMLElement | null>): { top: number; height: number } {
  const [view, setView] = useState({ top: 0, height: 600 })
  useLayoutEffect(() => {
    const { current } = scroller
    if (current === null) return undefined
    const look = () => setView({ top: current.scrollTop, height: current.clientHeight })
    // It also tells of the first size, after the page was laid out anyway.
    const observer = new ResizeObserver(look)
    observer.observe(current)
    current.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      current.removeEventListener('scroll', look)
    }
  }, [])
  return view
}

/** Calls back when the last of so many rows come into sight. */
function useEnd(end: number, count: number, onEnd: (() => void) | undefined): void {
  const newest = useRef(onEnd)
  newest.current = onEnd
  const isAtEnd = count > 0 && end === count
  useEffect(() => {
    if (isAtEnd) newest.current?.()
  }, [isAtEnd, count])
}

/** A long list of which only what is seen is in the page. */
export function VirtualTable<row>(props: VirtualTableProps<row>) {
  const { label, columns, rows, rowKey, rowHref, rowClass, rowHeight = 40, sort, onSort } = props
  const scroller = useRef<HTMLDivElement>(null)
  const view = useView(scroller)

  const first = Math.max(0, Math.floor(view.top / rowHeight) - overscan)
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + overscan)
  const shown = rows.slice(first, end)
  const sizes = columns.map(({ name, width, rank = 1 }) => (
    <col key={name} class={`rank-${rank}`} style={{ '--width': width }} />
  ))
  useEnd(end, rows.length, props.onEnd)
  const keyOf = (row: row) => {
    const key = rowKey(row)
    return typeof key === 'number' ? key % shown.length : key
  }

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="scroller" ref={scroller} tabIndex={0} aria-label={label}>
      <table aria-rowcount={rows.length + 1}>
        <colgroup>{sizes}</colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <HeadCell
                key={column.name}
                column={column}
                sort={sort}
                onSort={onSort}
                class={cellClass(column)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={first * rowHeight} />
          {shown.map((row, at) => (
            <Row
              key={keyOf(row)}
              row={row}
              columns={columns}
              place={first + at}
              height={rowHeight}
              href={rowHref?.(row)}
              class={rowClass?.(row) ?? ''}
            />
          ))}
          <Gap height={(rows.length - end) * rowHeight} />
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">{props.empty}</p>}
    </section>
  )
}

const cellClass = <row,>({ isText, rank = 1 }: Column<row>) =>
  `${isText ? 'text' : 'figure'} rank-${rank}`

/**
 * Opens what a row is of; links and buttons in the row are for themselves, and so is text that is
 * being marked.
 */
function openRow(event: MouseEvent, href: string | undefined): void {
  if ((event.target as Element).closest('a,button') || getSelection()?.toString()) return
  if (href !== undefined) navigate(href)
}

type RowProps<row> = {
  row: row
  columns: readonly Column<row>[]
  /** Counted from 0. */
  place: number
  height: number
  href: string | undefined
  class: string
}

type CellsProps<row> = Pick<RowProps<row>, 'row' | 'columns'> & {
  /** The place that is told; null: none is. */
  told: number | null
}

/**
 * A row that only moved keeps its cells as they are. Not by keeping what was rendered of them: each
 * part of that knows what it was a part of, and so all that was ever rendered would be kept.
 */
class Cells<row> extends Component<CellsProps<row>> {
  override shouldComponentUpdate({ row, columns, told }: CellsProps<row>): boolean {
    const { props } = this
    return row !== props.row || columns !== props.columns || told !== props.told
  }

  override render({ row, columns, told }: CellsProps<row>): ComponentChildren {
    return columns.map((column) => (
      <td key={column.name} class={cellClass(column)}>
        {column.cell === undefined ? <span class="soft number">{told}</span> : column.cell(row)}
      </td>
    ))
  }
}

function Row<row>({ row, columns, place, height, href, class: name }: RowProps<row>) {
  const told = columns.some(({ cell }) => cell === undefined) ? place + 1 : null
  return (
    <tr
      aria-rowindex={place + 2}
      class={`${href === undefined ? '' : 'linked'} ${name}`}
      style={{ height: `${height}px` }}
      onClick={(event) => openRow(event, href)}
    >
      <Cells row={row} columns={columns} told={told} />
    </tr>
  )
}

/**
 * Stands for the rows that are not in the page. One cell: of columns that are not shown it would
 * make room for more.
 */
const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr class="gap">
      <td style={{ height: `${height}px` }} />
    </tr>
  ) : null

type HeadCellProps<row> = Pick<VirtualTableProps<row>, 'sort' | 'onSort'> & {
  column: Column<row>
  class: string
}

function HeadCell<row>({ column, sort, onSort, class: name }: HeadCellProps<row>) {
  const { label, hint } = column
  const isSorted = sort?.name === column.name
  const order = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  if (onSort === undefined)
    return (
      <th scope="col" class={name} title={hint}>
        {label}
      </th>
    )
  return (
    <th scope="col" class={name} title={hint} aria-sort={order}>
      <button type="button" onClick={() => onSort(column.name)}>
        {label}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  )
}

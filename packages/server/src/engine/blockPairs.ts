/** Which pairs a block touched and which of them traded, ids in the order of the first time. */
export type BlockPairs = { touched: number[]; traded: number[] }

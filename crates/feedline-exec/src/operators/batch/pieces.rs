//! Batches put side by side.

use std::sync::Arc;

use feedline_data::block::{Block, Column, Ids, Position};

/// Blocks of one row each, as one block.
pub(super) fn join(pieces: &[Block], position: Position) -> Block {
    let good: Vec<&Block> = pieces.iter().filter(|piece| piece.num_elements() > 0).collect();
    let ids: Vec<Ids> = pieces
        .iter()
        .map(|piece| match piece.errors().first() {
            Some(error) => Ids::run(error.id, 1),
            None => piece.ids().clone(),
        })
        .collect();
    let failed: Vec<_> = pieces
        .iter()
        .enumerate()
        .filter_map(|(row, piece)| piece.errors().first().map(|error| (row, Arc::clone(&error.error))))
        .collect();
    // Failed rows get the values of a good one for as long as it takes to fail them.
    let Some(filler) = good.first() else {
        let whole = Block::new(Vec::new(), Ids::concat(&ids), position);
        return whole.fail(&failed);
    };
    let columns = (0..filler.columns().len()).map(|leaf| {
        let parts: Vec<Column> = pieces
            .iter()
            .map(|piece| if piece.num_elements() > 0 { piece } else { filler }.columns()[leaf].clone())
            .collect();
        Column::concat(&parts)
    });
    Block::new(columns.collect(), Ids::concat(&ids), position).fail(&failed)
}

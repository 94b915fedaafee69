//! Every learner reaches the optimum of its objective, and keeps what it promises.

mod algorithm2;
mod cited;
mod golden_bsvm;
mod optimality;
mod optimality_data;
mod optimality_solvers;
mod prior;
mod row_weights;
mod upu;
mod upu_optimality;

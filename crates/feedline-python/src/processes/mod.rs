//! Python functions in processes of their own: as many at a time as the engine calls, none waiting for the interpreter of
//! this one. `README.md` says who does what, and what can go wrong.

mod layout;
mod memory;
mod worker;

use std::io::{Error, ErrorKind};
use std::sync::{Arc, Mutex, PoisonError};

use feedline::data::block::Tensor;
use feedline::data::{ElementSpec, Structure};
use feedline::plan::NativeFunction;
use pyo3::prelude::*;

use crate::attached::{Failure, attached};
use crate::errors::{CallOfPython, PythonError, exception};
use crate::functions::arguments_of;
use crate::structure;
use crate::waiting::own_desk;
use worker::{Answer, Recipe, Worker};

/// The processes of one step, started when they are needed.
struct Processes {
    recipe: Recipe,
    output: ElementSpec,
    /// How many wait for more to do, at most.
    keep: usize,
    idle: Mutex<Idle>,
}

struct Idle {
    /// Whose they are: a process that forked has none of them.
    process: u32,
    workers: Vec<Worker>,
}

/// The function of one element that `setup` stands for, run by `command` in at most `keep` processes at rest; `here`, which is the same in
/// this process, where elements are computed when they are asked for: that is what `debug()` is for.
pub(crate) fn function(
    here: NativeFunction,
    command: Vec<String>,
    setup: Vec<u8>,
    keep: usize,
) -> NativeFunction {
    let NativeFunction { name, output, call: call_here, runtime } = here;
    let processes = Processes {
        recipe: Recipe { command: command.into_iter().map(Into::into).collect(), setup },
        output: output.clone(),
        keep,
        idle: Mutex::new(Idle { process: std::process::id(), workers: Vec::new() }),
    };
    let label = name.clone();
    let call = move |element: Structure<Tensor>| {
        if own_desk().is_some() {
            return call_here(element);
        }
        processes.call(&element).map_err(|failure| {
            PythonError::during(failure, || CallOfPython::with("map", &label, arguments_of(&element)))
        })
    };
    NativeFunction { name, output, call: Arc::new(call), runtime }
}

impl Processes {
    fn call(&self, element: &Structure<Tensor>) -> Result<Structure<Tensor>, Failure> {
        let tensors = element.leaves();
        loop {
            let mut worker = match self.take() {
                Some(worker) => worker,
                None => Worker::start(&self.recipe).map_err(|error| cannot_start(&self.recipe, &error))?,
            };
            match worker.call(&tensors) {
                Ok(Answer::Result(result, structure)) => {
                    self.give_back(worker);
                    return self.element(result, structure);
                }
                Ok(Answer::Raised(exception)) => {
                    self.give_back(worker);
                    return Err(raised(exception));
                }
                Ok(Answer::Left) => {}
                // Its process is ended with it, in the middle of the call.
                Err(_) if !feedline::is_call_wanted() => return Err("nobody waits for it".into()),
                Err(error) => return Err(lost(worker, &error)),
            }
        }
    }

    fn take(&self) -> Option<Worker> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.process != std::process::id() {
            // Forgotten, not dropped: they are the other process's, and at work.
            std::mem::forget(std::mem::take(&mut idle.workers));
            idle.process = std::process::id();
        }
        idle.workers.pop()
    }

    fn give_back(&self, worker: Worker) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.workers.len() < self.keep {
            idle.workers.push(worker);
            return;
        }
        drop(idle);
        drop(worker);
    }

    /// The tensors put together as the spec says, or, where that is not how they came, as they did.
    fn element(&self, tensors: Vec<Tensor>, came_as: Option<Vec<u8>>) -> Result<Structure<Tensor>, Failure> {
        let Some(came_as) = came_as else {
            return Ok(self.output.with_leaves(tensors));
        };
        attached(|py| {
            let came_as = py.import("pickle")?.call_method1("loads", (came_as,))?;
            structure::from_python(&came_as, &mut |leaf| {
                let leaf: usize = leaf.extract()?;
                let tensor = tensors.get(leaf).cloned();
                tensor.ok_or_else(|| exception("InternalError", "an answer without its tensors"))
            })
        })
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        if idle.process != std::process::id() {
            std::mem::forget(std::mem::take(&mut idle.workers));
        }
    }
}

/// The exception as it was raised in the other process.
fn raised(exception: Vec<u8>) -> Failure {
    let loaded = attached(|py| {
        let load = py.import("feedline._processes")?.getattr("loaded_exception")?;
        Ok(PyErr::from_value(load.call1((exception,))?))
    });
    loaded.map_or_else(|failure| failure, |raised| Failure::from(PythonError::new(raised)))
}

fn lost(worker: Worker, error: &Error) -> Failure {
    let process = worker.process();
    let is_dead =
        matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset);
    let message = if is_dead {
        format!(
            "the process {process} that ran the function {}\n\
             hint: the function, or a library it uses, ended or crashed the process; without workers=\"process\" it runs in \
             this one, where a debugger sees it",
            worker.ended()
        )
    } else {
        format!("the process {process} that runs the function cannot be asked: {error}")
    };
    Failure::from(PythonError::new(exception("UserCodeError", message)))
}

fn cannot_start(recipe: &Recipe, error: &Error) -> Failure {
    let program = recipe.command[0].to_string_lossy();
    let message = format!(
        "no process could be started for the function with {program:?}: {error}\n\
         hint: sys.executable names the interpreter; `ulimit -u` and `ulimit -n` show the limits"
    );
    Failure::from(PythonError::new(exception("ResourceError", message)))
}
